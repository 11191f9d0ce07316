// Virtual, multiple and virtual inheritance: calls through every base, covariant returns, thunks,
// dynamic_cast up, down and across, typeid, calls during construction, member pointers, virtual
// destructors.
//
// builds: O0,O2,nopie
#include <cstdio>
#include <cstring>
#include <memory>
#include <typeinfo>
#include <vector>

struct Shape {
  explicit Shape(int id) : id(id) { std::printf("Shape:%s ", kind()); }
  virtual ~Shape() { std::printf("~%s%d ", kind(), id); }
  virtual const char* kind() const { return "shape"; }
  virtual double area() const = 0;
  virtual Shape* clone() const = 0;
  int id;
};
struct Named {
  virtual ~Named() = default;
  virtual int length() const { return int(std::strlen(name)); }
  char name[12] = "unnamed";
};
struct Circle : Shape, Named {
  Circle(int id, double r) : Shape(id), r(r) { std::strcpy(name, "circle"); }
  const char* kind() const override { return "circle"; }
  double area() const override { return 3 * r * r; }
  Circle* clone() const override { return new Circle(id + 100, r * 2); }
  int length() const override { return 1000 + int(r); }
  double r;
};
struct Square final : Named, Shape {
  Square(int id, int side) : Shape(id), side(side) {}
  double area() const override { return side * side; }
  Square* clone() const override { return new Square(id + 200, side + 1); }
  int side;
};

struct Top {
  virtual ~Top() = default;
  virtual int value() { return top; }
  int top = 1;
};
struct Left : virtual Top {
  int value() override { return top * 10 + left; }
  int left = 2;
};
struct Right : virtual Top {
  int right = 3;
  virtual int extra() { return right + top; }
};
struct Bottom : Left, Right {
  int value() override { return Left::value() * 10 + right + bottom; }
  int extra() override { return bottom * 7; }
  int bottom = 4;
};

struct Calculator {
  int base = 3;
  int add(int v) { return base + v; }
  int multiply(int v) { return base * v; }
  virtual int special(int v) { return v - base; }
  virtual ~Calculator() = default;
};
struct Better : Calculator {
  int special(int v) override { return v * 100 + base; }
};

int main() {
  std::vector<std::unique_ptr<Shape>> shapes;
  shapes.emplace_back(new Circle(1, 2));
  shapes.emplace_back(new Square(2, 5));
  for (int i = 0; i < 2; ++i) shapes.emplace_back(shapes[size_t(i)]->clone());
  double total = 0;
  int lengths = 0;
  for (auto& s : shapes) {
    total = total * 2 + s->area();
    if (auto* named = dynamic_cast<Named*>(s.get())) lengths = lengths * 3 + named->length();
    if (dynamic_cast<Circle*>(s.get())) lengths += 7;
    const Shape& shape = *s;
    std::printf("%s/%d ", typeid(shape).name(), typeid(shape) == typeid(Square));
  }
  std::printf("%g %d\n", total, lengths);
  Named* named = dynamic_cast<Named*>(shapes[1].get());
  Square* square = static_cast<Square*>(named);
  std::printf("%d %d\n", square->side, dynamic_cast<Shape*>(named)->id);
  shapes.clear();
  std::puts("");

  Bottom bottom;
  Right* right = &bottom;
  Top* top = right;
  Left* left = dynamic_cast<Left*>(right);
  top->top = 9;
  std::printf("%d %d %d %d\n", top->value(), left->value(), right->extra(),
              dynamic_cast<Bottom*>(top)->bottom);
  try {
    Top plain;
    (void)dynamic_cast<Right&>(static_cast<Top&>(plain));
  } catch (const std::bad_cast&) {
    std::puts("bad_cast");
  }
  Better better;
  Calculator& c = better;
  int (Calculator::* operations[])(int) = {&Calculator::add, &Calculator::multiply, &Calculator::special};
  int Calculator::* field = &Calculator::base;
  int v = 2;
  for (int round = 0; round < 2; ++round, c.*field += 4)
    for (auto operation : operations) v = (c.*operation)(v) % 10007;
  std::printf("%d %d\n", v, operations[0] == &Calculator::add);
}
