// Opens the plug-in that its first argument names; see tests/cli/plugins_test.cpp.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct host {
  int (*add)(int, int);
  const char* name;
};
static int total;
int hostCount(int by) { return total += by; }
static int add(int a, int b) { return a + b; }

static void* open(const char* name) {
  void* plugin = dlopen(name, RTLD_NOW);
  if (!plugin) fprintf(stderr, "%s\n", dlerror());
  return plugin;
}

int main(int argc, char** argv) {
  const char* way = argc > 2 ? argv[2] : "";
  if (strcmp(way, "fork") == 0 && fork() != 0) {
    wait(0);
    return 0;
  }
  void* plugin = open(argv[1]);
  if (!plugin) return 2;
  int (*run)(struct host*, int) = (int (*)(struct host*, int))dlsym(plugin, "pluginRun");
  struct host h = {add, "host"};
  int sum = 0;
  for (int i = 0; i < 5; ++i) sum += run(&h, i);
  void* again = open(argv[1]);
  printf("%d %d %d\n", sum, plugin == again, dlopen("no-such-plugin.so", RTLD_NOW) == 0);
  dlclose(again);
  int (*crash)(const char*) = (int (*)(const char*))dlsym(plugin, "pluginCrash");
  if (*way) return crash(0);
  return dlclose(plugin);
}
