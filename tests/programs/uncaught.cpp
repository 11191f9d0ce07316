// An exception that nobody catches: terminate says its type and what().
//
// ends: signal SIGABRT
// kind: uncaught-exception
// stderr: no such account: 4
// message: no such account: 4
// builds: O0,O2
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static int balance(const std::vector<int>& accounts, size_t which) {
  if (which >= accounts.size())
    throw std::runtime_error("no such account: " + std::to_string(which)); // <- fails in balance
  return accounts[which];
}

int main() {
  std::vector<int> accounts = {10, 20, 30, 40};
  int sum = 0;
  for (size_t i = 0; i <= accounts.size(); ++i) {
    sum += balance(accounts, i);
    std::printf("%d\n", sum);
    std::fflush(stdout);
  }
}
