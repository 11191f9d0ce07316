// An exception that is no std::exception, thrown out of main's own thread function.
//
// flags: -pthread
// ends: signal SIGABRT
// kind: uncaught-exception
// stderr: Problem
// message: Problem
// builds: O0
#include <cstdio>
#include <thread>

struct Problem {
  int code;
};

static void work(int n) {
  if (n == 3) throw Problem{n}; // <- fails in work
  work(n + 1);
}

int main() {
  std::puts("start");
  std::fflush(stdout);
  std::thread thread(work, 0);
  thread.join();
}
