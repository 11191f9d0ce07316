// A function that returns a value ends without one. In C++ that is undefined; the variant stops there.
//
// flags: -Wno-return-type
// ends: signal SIGILL
// kind: illegal-instruction
// fails-in: grade
// builds: O0
#include <cstdio>

static int grade(int points) {
  if (points >= 90) return 1;
  if (points >= 50) return 2;
}

int main() {
  std::printf("%d %d\n", grade(95), grade(60));
  std::fflush(stdout);
  std::printf("%d\n", grade(10));
}
