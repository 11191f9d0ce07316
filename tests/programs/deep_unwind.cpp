// An exception that unwinds 5,000 frames, each with a destructor, some of which catch and rethrow.
//
// args: 5000
// builds: O0,O2
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

static unsigned long trail = 1;

struct Frame {
  explicit Frame(int n) : n(n) {}
  ~Frame() { trail = trail * 31 + unsigned(n); }
  int n;
};

static int descend(int n) {
  Frame frame(n);
  if (n == 0) throw std::runtime_error("bottom");
  if (n % 1000 != 0) return descend(n - 1) + 1;
  try {
    return descend(n - 1) + 1;
  } catch (const std::exception& e) {
    trail ^= unsigned(e.what()[0]);
    throw;
  }
}

int main(int argc, char** argv) {
  for (int round = 0; round < 2; ++round) {
    try {
      descend(argc > 1 ? std::atoi(argv[1]) : 10);
    } catch (const std::runtime_error& e) {
      std::printf("%s %lu\n", e.what(), trail);
    }
  }
}
