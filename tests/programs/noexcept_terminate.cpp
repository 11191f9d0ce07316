// An exception that tries to leave a noexcept function.
//
// ends: signal SIGABRT
// kind: uncaught-exception
// message: too many
// builds: O0,O2
#include <cstdio>
#include <stdexcept>

static void risky(int n) {
  if (n > 2) throw std::domain_error("too many");
}

static void careful(int n) noexcept {
  risky(n); // <- fails in careful
}

int main() {
  for (int i = 0; i < 5; ++i) {
    std::printf("%d\n", i);
    std::fflush(stdout);
    careful(i);
  }
}
