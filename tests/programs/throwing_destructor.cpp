// A destructor throws: once caught, once while another exception is on its way, which ends the program.
//
// ends: signal SIGABRT
// kind: uncaught-exception
// stderr: from a destructor
// builds: O0
#include <cstdio>
#include <stdexcept>

struct Bomb {
  explicit Bomb(int n) : n(n) {}
  ~Bomb() noexcept(false) {
    std::printf("~%d\n", n);
    std::fflush(stdout);
    if (n > 1) throw std::runtime_error("from a destructor");
  }
  int n;
};

int main() {
  try {
    Bomb harmless(1);
    Bomb live(2);
  } catch (const std::exception& e) {
    std::printf("caught %s\n", e.what());
  }
  try {
    Bomb second(3);
    throw std::logic_error("first");
  } catch (const std::exception& e) {
    std::printf("never %s\n", e.what());
  }
}
