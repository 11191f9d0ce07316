// A pure virtual function is called while the object is being destroyed.
// ends: signal SIGABRT
// kind: abort
// message: pure virtual method called
// variants: O0
#include <cstdio>

struct Base {
  void report() { std::printf("%d\n", value()); std::fflush(stdout); } // <- fails in report
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
