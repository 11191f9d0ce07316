// Exceptions: through frames with destructors, nested, rethrown, caught by base, by value and by reference,
// by catch(...), thrown in constructors and function try blocks, kept in exception_ptr, with large objects.
//
// builds: O0,O2
#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>

struct Trace {
  explicit Trace(int n) : n(n) {}
  ~Trace() { std::printf("~%d ", n); }
  int n;
};
struct Base {
  virtual ~Base() = default;
  virtual int code() const { return 1; }
};
struct Other {
  long padding[3] = {7, 8, 9};
};
struct Derived : Other, Base {
  int code() const override { return 2 + int(padding[1]); }
};
struct Big {
  int values[100];
};

static void leaf(int how) {
  Trace t(how);
  int local[8] = {how, how + 1, how * 2};
  switch (how) {
  case 0:
    throw 42;
  case 1:
    throw std::runtime_error("runtime " + std::to_string(local[2]));
  case 2:
    throw Derived();
  case 3:
    throw "literal";
  case 4: {
    Big big{};
    for (int i = 0; i < 100; ++i) big.values[i] = i * how;
    throw big;
  }
  case 5:
    throw std::out_of_range("range");
  case 6:
    throw std::bad_alloc();
  default:
    std::printf("none ");
  }
}

static int middle(int how) {
  Trace a(100 + how);
  try {
    Trace b(200 + how);
    leaf(how);
  } catch (const std::out_of_range& e) {
    std::printf("[%s] ", e.what());
    throw;
  } catch (int v) {
    std::printf("int %d ", v);
    try {
      leaf(3);
    } catch (const char* text) {
      std::printf("inner %s ", text);
    }
    throw std::string("changed");
  }
  return how;
}

struct Member {
  explicit Member(int n) : trace(n) {
    if (n == 302) throw std::logic_error("member");
  }
  Trace trace;
};
struct Whole {
  explicit Whole(int n) try : a(301), b(n) { std::printf("whole "); } catch (std::logic_error& e) {
    std::printf("function try: %s ", e.what());
  }
  Member a, b;
};

int main() {
  for (int how = 0; how < 8; ++how) {
    try {
      std::printf("= %d ", middle(how));
    } catch (const Base& b) {
      std::printf("base %d ", b.code());
    } catch (const std::exception& e) {
      std::printf("std %s ", e.what());
    } catch (Big big) {
      std::printf("big %d ", big.values[99]);
    } catch (const std::string& s) {
      std::printf("string %s ", s.c_str());
    } catch (...) {
      std::printf("something ");
    }
    std::puts("");
  }
  try {
    Whole ok(303);
    Whole broken(302);
  } catch (const std::exception& e) {
    std::printf("out: %s\n", e.what());
  }
  std::exception_ptr kept;
  try {
    throw std::invalid_argument("kept");
  } catch (...) {
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (std::invalid_argument& e) {
    std::printf("%s %d\n", e.what(), std::uncaught_exceptions());
  }
  try {
    try {
      throw 1;
    } catch (int) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  } catch (const std::exception& e) {
    try {
      std::rethrow_if_nested(e);
    } catch (int n) {
      std::printf("%s around %d\n", e.what(), n);
    }
  }
  int total = 0;
  for (int i = 0; i < 200; ++i) {
    try {
      if (i % 3 == 0) throw i;
      total += 1;
    } catch (int v) {
      total += v * 2;
    }
  }
  std::printf("%d\n", total);
}
