// A pure virtual function is called while the object is being destroyed.
//
// ends: signal SIGABRT
// kind: abort
// stderr: pure virtual method called
// message: pure virtual
// builds: O0
#include <cstdio>

struct Base {
  void report() {
    std::printf("%d\n", value()); // <- fails in report
    std::fflush(stdout);
  }
  virtual int value() = 0;
  virtual ~Base() { report(); }
};
struct Derived : Base {
  int value() override { return 5; }
};

int main() {
  Derived d;
  d.report();
}
