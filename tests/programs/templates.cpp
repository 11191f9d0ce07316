// Templates and what they become: variadic ones, fold expressions, concepts, constexpr, specialisations,
// CRTP, lambdas of every capture, std::function, bind, generic lambdas, structured bindings, move
// semantics.
//
// flags: -std=c++20
// builds: O0,O2
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdio>
#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

template <class T>
concept Number = std::integral<T> || std::floating_point<T>;
template <Number... T> auto sum(T... v) { return (v + ... + 0); }
template <class T> struct Name {
  static constexpr const char* value = "other";
};
template <> struct Name<int> {
  static constexpr const char* value = "int";
};
template <class T> struct Name<T*> {
  static constexpr const char* value = "pointer";
};
template <int N> struct Fibonacci {
  static constexpr long value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <> struct Fibonacci<1> {
  static constexpr long value = 1;
};
template <> struct Fibonacci<0> {
  static constexpr long value = 0;
};
template <class D> struct Counted {
  static inline int alive = 0;
  Counted() { ++alive; }
  Counted(const Counted&) { alive += 10; }
  Counted(Counted&&) noexcept { alive += 100; }
  Counted& operator=(const Counted&) = default;
  ~Counted() { --alive; }
};
struct Thing : Counted<Thing> {
  std::string text = "a rather long text that does not fit inside the string";
};
constexpr std::array<int, 10> squares = [] {
  std::array<int, 10> a{};
  for (int i = 0; i < 10; ++i) a[size_t(i)] = i * i;
  return a;
}();

static std::function<int(int)> compose(std::vector<std::function<int(int)>> parts) {
  return [parts = std::move(parts)](int v) {
    for (auto& f : parts) v = f(v);
    return v;
  };
}
static int twice(int v) { return v * 2; }
struct Adder {
  int by;
  int operator()(int v) const { return v + by; }
  int member(int a, int b) { return a * by - b; }
};

int main() {
  std::printf("%d %g %s %s %s %ld\n", sum(1, 2, 3), double(sum(1.5, 2)), Name<int>::value, Name<char*>::value,
              Name<Thing>::value, Fibonacci<40>::value);
  int base = 5;
  long calls = 0;
  auto f = compose({twice, Adder{3}, [base](int v) { return v - base; },
                    [&calls](int v) { return ++calls, v * v; }, [n = 1](int v) mutable { return v + n++; }});
  std::printf("%d %d %ld\n", f(4), f(10), calls);
  Adder adder{7};
  using namespace std::placeholders;
  auto bound = std::bind(&Adder::member, &adder, _2, _1);
  auto generic = [](auto... v) { return (int(sizeof v) + ... + 0); };
  std::printf("%d %d %zu\n", bound(3, 4), generic('a', 1, 2.0), squares.size());
  int total = 0;
  for (int s : squares) total = total * 2 + s;
  auto [a, b, c] = std::make_tuple(1, std::string("two"), 3.5);
  std::apply([&](auto... v) { total += int(sizeof...(v)); }, std::make_tuple(1, 2, 3, 4));
  std::printf("%d %d %s %g\n", total, a, b.c_str(), c);
  {
    std::vector<Thing> things(3);
    things.push_back(things[0]);
    Thing moved = std::move(things[1]);
    things.erase(things.begin());
    std::printf("%d %zu %zu\n", Thing::alive, things[0].text.size(), moved.text.size());
  }
  std::printf("%d\n", Thing::alive);
  std::vector<std::pair<int, std::string>> pairs = {{3, "c"}, {1, "a"}, {2, "b"}};
  std::ranges::sort(pairs, std::greater{}, &std::pair<int, std::string>::first);
  for (const auto& [key, value] : pairs) std::printf("%d%s ", key, value.c_str());
  std::puts("");
}
