// A library opened at run time: functions found by name and called through pointers, one that is missing.
//
// flags: -ldl
// builds: O0,O2
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  void* library = dlopen("libm.so.6", RTLD_LAZY);
  if (!library) return 1;
  const char* names[] = {"cos", "cbrt", "log2", "no_such_function", "floor"};
  double v = 0.5;
  for (int i = 0; i < 5; ++i) {
    double (*f)(double) = (double (*)(double))dlsym(library, names[i]);
    if (!f) {
      printf("%s is not there: %d\n", names[i], dlerror() != 0);
      continue;
    }
    v = f(v * 10 + i);
    printf("%s %.9g\n", names[i], v);
  }
  int (*signs)(double) = (int (*)(double))dlsym(library, "ilogb");
  double (*split)(double, int*) = (double (*)(double, int*))dlsym(library, "frexp");
  int exponent = 0;
  double fraction = split(1234.5, &exponent);
  printf("%d %.9g %d\n", signs(1000.0), fraction, exponent);
  int (*own)(const char*) = (int (*)(const char*))dlsym(RTLD_DEFAULT, "puts");
  own("through dlsym");
  return dlclose(library);
}
