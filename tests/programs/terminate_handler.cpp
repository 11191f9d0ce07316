// A terminate handler of the program's own looks at the exception and aborts.
//
// ends: signal SIGABRT
// kind: abort
// builds: O0
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>

static void onTerminate() {
  try {
    if (auto e = std::current_exception()) std::rethrow_exception(e);
  } catch (const std::exception& e) {
    std::printf("terminate: %s\n", e.what());
  }
  std::fflush(stdout);
  std::abort(); // <- fails in onTerminate
}

static void risky(int n) {
  if (n > 2) throw std::domain_error("too many");
}

static void careful(int n) noexcept { risky(n); }

int main() {
  std::set_terminate(onTerminate);
  for (int i = 0; i < 5; ++i) {
    std::printf("%d\n", i);
    careful(i);
  }
}
