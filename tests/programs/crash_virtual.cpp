// A virtual call on an object that is not there any more: its memory has been used for something else.
//
// ends: signal SIGSEGV
// kind: crash
// builds: O0,O2
// memory: use-after-free
#include <cstdio>
#include <cstring>

struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
  long a = 3, b = 4;
};
struct Box : Shape {
  int area() const override { return int(a * b); }
};

__attribute__((noinline)) static int measure(const Shape* shape) {
  return shape->area(); // <- fails in measure
}

int main() {
  Shape* volatile shape = new Box;
  std::printf("%d\n", measure(shape));
  std::fflush(stdout);
  delete shape;
  char* volatile other = new char[sizeof(Box)];
  std::memset(other, 'v', sizeof(Box));
  std::printf("%d\n", measure(shape));
}
