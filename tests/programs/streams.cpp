// iostream: numbers, hexadecimal, precision, width, states, reading words and lines from std::cin, string
// streams, files, manipulators, and a stream buffer of the program's own.
//
// stdin: 12 7.25 word\nrest of line\n0xff 99 x\n
// builds: O0,O2
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <streambuf>
#include <string>

class Upper : public std::streambuf {
public:
  explicit Upper(std::streambuf* to) : to_(to) {}
  int written = 0;

protected:
  int overflow(int c) override {
    ++written;
    return c == EOF ? 0 : to_->sputc(char(std::toupper(c)));
  }
  int sync() override { return to_->pubsync(); }

private:
  std::streambuf* to_;
};

struct Point {
  double x, y;
};
std::ostream& operator<<(std::ostream& out, const Point& p) {
  return out << '(' << p.x << ", " << p.y << ')';
}
std::istream& operator>>(std::istream& in, Point& p) {
  char open, comma, close;
  return in >> open >> p.x >> comma >> p.y >> close;
}

int main() {
  int n;
  double d;
  std::string word, line;
  std::cin >> n >> d >> word;
  std::getline(std::cin, line);
  std::getline(std::cin, line);
  std::cout << n << ' ' << d << ' ' << word << " [" << line << "]\n";
  std::cin >> std::hex >> n >> std::dec >> d;
  std::cout << n << ' ' << d;
  std::cin >> n;
  std::cout << ' ' << std::cin.fail() << ' ' << n << '\n';
  std::cin.clear();
  std::cin >> word >> word;
  std::cout << word << std::cin.eof() << std::endl;
  std::cout << std::setw(8) << std::setfill('*') << 42 << std::left << std::setw(6) << "ab" << std::hex
            << std::showbase << 255 << std::dec << ' ' << std::fixed << std::setprecision(3) << 3.14159 << ' '
            << std::scientific << 12345.678 << std::defaultfloat << ' ' << 1e100 << ' ' << 0.1 << ' '
            << std::boolalpha << true << '\n';
  std::cout << std::numeric_limits<double>::infinity() << ' ' << std::sqrt(2.0) << ' ' << -0.0 << ' '
            << std::setprecision(17) << 0.1 << ' ' << 1.0f / 3 << '\n';
  std::istringstream in("(1.5, 2.5) (3, -4) broken");
  Point p;
  std::ostringstream out;
  while (in >> p) out << p << ';';
  std::cout << out.str() << '\n';
  Upper upper(std::cout.rdbuf());
  std::ostream loud(&upper);
  loud << "mixed Case " << 12 << ' ' << 2.5 << std::endl;
  std::cout << upper.written << '\n';
  const char* name = "faultline-stream.txt";
  {
    std::ofstream file(name);
    for (int i = 0; i < 100; ++i) file << i << ' ' << i * i << '\n';
  }
  std::ifstream file(name);
  long a, b, sum = 0;
  while (file >> a >> b) sum = sum * 3 % 1000003 + a - b;
  file.clear();
  file.seekg(-6, std::ios::end);
  std::getline(file, line);
  std::cout << sum << ' ' << line << ' ' << file.tellg() << '\n';
  std::remove(name);
  std::cerr << "to stderr\n";
  std::clog << "to the log\n";
}
