// A std::thread that is destroyed while it may still be joined: std::terminate without an exception.
//
// flags: -pthread
// ends: signal SIGABRT
// kind: uncaught-exception
// stderr: terminate called without an active exception
// builds: O0
#include <cstdio>
#include <thread>

int main() {
  std::puts("start");
  std::fflush(stdout);
  std::thread thread([] {});
}
