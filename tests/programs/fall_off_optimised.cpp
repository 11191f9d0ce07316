// The same with the user's -O2: the ordinary program may run anywhere, so its end is not compared.
//
// flags: -Wno-return-type
// stdout: undefined
// ordinary-ends: undefined
// ends: signal SIGILL
// kind: illegal-instruction
// fails-in: grade
// builds: O2
#include <cstdio>

__attribute__((noinline)) static int grade(int points) {
  if (points >= 90) return 1;
  if (points >= 50) return 2;
}

int main(int argc, char**) {
  std::printf("%d %d\n", grade(95), grade(60));
  std::fflush(stdout);
  std::printf("%d\n", grade(argc * 10));
}
