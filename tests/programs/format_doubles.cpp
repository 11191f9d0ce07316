// Numbers to text and back: to_chars, from_chars, stod, printf's corners, string building, regex.
//
// flags: -std=c++20
// builds: O0,O2
#include <bit>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <iomanip>
#include <iostream>
#include <regex>
#include <sstream>
#include <string>

int main() {
  double values[] = {0.1, 1.0 / 3, 1e22, 5e-324, 123456789.125, -0.0, 2.5e-8};
  std::string all;
  for (double v : values) {
    char text[64];
    auto end = std::to_chars(text, text + sizeof text, v);
    std::string s(text, end.ptr);
    double back = 0;
    std::from_chars(s.data(), s.data() + s.size(), back);
    all += s + (std::bit_cast<unsigned long>(back) == std::bit_cast<unsigned long>(v) ? "= " : "# ");
    std::printf("%g|%.3f|%10.2e|%a|%+.0f\n", v, v, v, v, v);
  }
  std::cout << all << '\n';
  int parsed = 0;
  const char* digits = "7f!";
  auto result = std::from_chars(digits, digits + 3, parsed, 16);
  std::cout << parsed << ' ' << *result.ptr << ' ' << std::stod("1e3") << ' ' << std::stoul("ff", nullptr, 16)
            << '\n';
  std::regex pattern("(\\w+)@(\\w+)\\.org");
  std::string mail = "write to anna@example.org or bert@test.org today";
  for (std::sregex_iterator it(mail.begin(), mail.end(), pattern), end; it != end; ++it)
    std::cout << (*it)[1] << " at " << (*it)[2] << ", ";
  std::cout << std::regex_replace(mail, pattern, "<$2>") << '\n';
  using namespace std::chrono;
  auto time = 3h + 25min + 7s;
  std::ostringstream out;
  out << std::setfill('0') << std::setw(2) << duration_cast<hours>(time).count() << ':' << std::setw(2)
      << duration_cast<minutes>(time % 1h).count() << ' '
      << sys_days{2024y / February / 29d}.time_since_epoch().count();
  std::cout << out.str() << '\n';
}
