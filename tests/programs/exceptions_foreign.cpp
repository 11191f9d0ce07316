// Exceptions that cross frames that are not ours: thrown in a comparison function under qsort and bsearch,
// in an operator under std::sort's instantiation, in a pthread_once routine, in a stream's insertion.
//
// flags: -pthread
// builds: O0,O2
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

static int calls, limit;

static int compare(const void* a, const void* b) {
  std::string trace = "frame " + std::to_string(++calls);
  if (calls == limit) throw std::runtime_error(trace);
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

static long sortUntil(int most) {
  int values[30];
  for (int i = 0; i < 30; ++i) values[i] = (i * 11) % 31;
  calls = 0, limit = most;
  std::string before = "guard " + std::to_string(most);
  try {
    std::qsort(values, 30, sizeof(int), compare);
  } catch (const std::runtime_error& e) {
    std::printf("<%s> ", e.what());
    return -long(before.size());
  }
  long sum = 0;
  for (int i = 0; i < 30; ++i) sum = sum * 3 % 100003 + values[i];
  return sum;
}

struct Thrower {
  friend std::ostream& operator<<(std::ostream& out, const Thrower&) {
    out << "started ";
    throw std::logic_error("in operator");
  }
};

int main() {
  for (int most = 1; most < 100; most += 13) std::printf("%ld ", sortUntil(most));
  std::printf("%ld\n", sortUntil(0));
  int key = 5, values[] = {1, 5, 9};
  calls = 0, limit = 2;
  try {
    void* found = std::bsearch(&key, values, 3, sizeof(int), compare);
    std::printf("%d\n", found != nullptr);
    found = std::bsearch(&key, values, 3, sizeof(int), compare);
  } catch (std::exception& e) {
    std::printf("bsearch: %s\n", e.what());
  }
  std::once_flag once;
  for (int i = 0; i < 3; ++i) {
    try {
      std::call_once(once, [i] {
        std::printf("once %d ", i);
        if (i == 0) throw i;
      });
    } catch (int v) {
      std::printf("failed %d ", v);
    }
  }
  std::puts("");
  std::ostringstream out;
  try {
    out << 1 << Thrower() << 2;
  } catch (const std::logic_error& e) {
    std::printf("%s%s\n", out.str().c_str(), e.what());
  }
  try {
    std::vector<int> v(10);
    v.at(10) = 1;
  } catch (const std::out_of_range&) {
    std::puts("at");
  }
  try {
    std::string s("short");
    s.substr(10);
  } catch (const std::out_of_range&) {
    std::puts("substr");
  }
  try {
    (void)std::stoi("not a number");
  } catch (const std::invalid_argument& e) {
    std::printf("%s\n", e.what());
  }
  std::istringstream in("abc");
  in.exceptions(std::ios::failbit);
  try {
    int n;
    in >> n;
  } catch (const std::ios_base::failure&) {
    std::puts("stream");
  }
}
