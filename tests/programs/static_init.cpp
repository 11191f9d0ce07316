// Static constructors in order, function-local statics (with an exception the first time), thread-safe
// ones, inline variables, destructors at exit in reverse, atexit in between, globals used before they are
// made.
//
// with: parts/static_init_other.cpp
// builds: O0,O2
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

std::string& registry();
struct Registered {
  Registered(const char* name, int n) : name(name), n(n) {
    registry() += std::string(name) + std::to_string(n) + ' ';
  }
  ~Registered() { std::printf("~%s%d ", name, n); }
  const char* name;
  int n;
};
extern int otherValue;
int computed(int v) { return v * 3 + otherValue; }

static Registered first("first", 1);
int initialised = computed(5);
static Registered second("second", initialised);
inline Registered inlineOne("inline", 3);
template <class T> struct Holder {
  static Registered one;
};
template <class T> Registered Holder<T>::one("holder", int(sizeof(T)));
template struct Holder<double>;
static const std::map<std::string, int> table = {{"one", 1}, {"two", 2}, {"three", initialised}};

static int attempts;
static int risky() {
  if (++attempts < 3) throw attempts;
  return attempts * 10;
}
static int local() {
  static int value = risky();
  static Registered inner("inner", value);
  return value + inner.n;
}

int main() {
  int caught = 0;
  for (int i = 0; i < 5; ++i) {
    try {
      std::printf("%d ", local());
    } catch (int n) {
      caught = caught * 10 + n;
    }
  }
  std::printf("%d %d\n%s\n%d %d\n", caught, attempts, registry().c_str(), initialised, table.at("three"));
  std::atexit([] { std::printf("atexit "); });
  static Registered late("late", 9);
  return 0;
}
