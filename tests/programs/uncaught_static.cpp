// An exception that a static constructor throws: the program ends before main.
//
// ends: signal SIGABRT
// kind: uncaught-exception
// message: configuration
// stderr: configuration
// builds: O0
#include <cstdio>
#include <stdexcept>

static int load(const char* name) {
  if (!name) throw std::logic_error("configuration"); // <- fails in load
  return name[0];
}

static int first = load("first");
static int second = load(nullptr);

int main() { std::printf("%d\n", first + second); }
