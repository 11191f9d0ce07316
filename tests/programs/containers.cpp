// The standard containers, algorithms and owning pointers.
//
// flags: -std=c++20
// builds: O0,O2
#include <algorithm>
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

struct Node : std::enable_shared_from_this<Node> {
  explicit Node(int v) : value(v) {}
  ~Node() { ++destroyed; }
  int value;
  std::vector<std::shared_ptr<Node>> children;
  std::weak_ptr<Node> parent;
  static inline int destroyed = 0;
};

static std::optional<int> parse(const std::string& s) {
  if (s.empty() || s[0] < '0' || s[0] > '9') return std::nullopt;
  return std::stoi(s);
}

struct Printer {
  void operator()(const std::string& s) { std::printf("%s ", s.c_str()); }
  void operator()(double v) { std::printf("%g ", v); }
};

int main() {
  std::map<std::string, int> counts;
  std::unordered_map<std::string, std::vector<int>> places;
  const std::string text = "the cat and the dog and the bird saw the other cat";
  for (size_t at = 0, n = 0; at < text.size(); ++n) {
    size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    ++counts[word];
    places[word].push_back(int(n));
    at = end + 1;
  }
  for (auto& [word, n] : counts) std::printf("%s=%d@%d ", word.c_str(), n, places[word].back());
  std::puts("");
  std::vector<int> v(50);
  std::iota(v.begin(), v.end(), 0);
  for (size_t i = 0; i < v.size(); ++i) std::swap(v[i], v[(i * 37 + 11) % v.size()]);
  std::partition(v.begin(), v.end(), [](int x) { return x % 3 == 0; });
  std::sort(v.begin() + 17, v.end(), [](int a, int b) { return a % 7 != b % 7 ? a % 7 < b % 7 : a > b; });
  std::nth_element(v.begin(), v.begin() + 8, v.begin() + 17);
  v.erase(std::remove_if(v.begin() + 17, v.end(), [](int x) { return x % 5 == 0; }), v.end());
  long h = std::accumulate(v.begin() + 17, v.end(), 1L, [](long a, int x) { return a * 31 % 1000003 + x; });
  std::printf("%ld %d %zu\n", h, v[8], v.size());
  std::set<int, std::greater<>> set(v.begin(), v.end());
  std::priority_queue<int> queue(v.begin(), v.end());
  std::deque<int> deque;
  std::list<int> list;
  while (!queue.empty()) {
    (deque.size() % 2 ? deque.push_front(queue.top()) : deque.push_back(queue.top()));
    list.insert(std::next(list.begin(), long(list.size() / 2)), queue.top());
    queue.pop();
  }
  list.sort();
  list.reverse();
  std::printf("%d %d %d %d %d\n", *set.begin(), deque.front(), deque[5], list.front(),
              *std::next(list.begin(), 3));
  std::variant<int, std::string, double> variant = 5;
  for (int i = 0; i < 3; ++i) {
    std::visit(Printer(), variant);
    if (i == 0) variant = std::string("a string in a variant, long enough for the heap");
    if (i == 1) variant = 2.5;
  }
  try {
    (void)std::get<int>(variant);
  } catch (const std::bad_variant_access&) {
    std::printf("wrong type ");
  }
  std::printf("%d %d\n", parse("12").value_or(-1), parse("x").has_value() + parse("").value_or(-7));
  {
    auto root = std::make_shared<Node>(1);
    for (int i = 2; i < 6; ++i) {
      auto child = std::make_shared<Node>(i);
      child->parent = root;
      root->children.push_back(std::move(child));
    }
    auto kept = root->children[2]->shared_from_this();
    root->children.erase(root->children.begin() + 2);
    std::printf("%ld %d %d\n", root.use_count(), kept->parent.lock()->value, Node::destroyed);
    root.reset();
    std::printf("%d %d\n", kept->parent.expired(), Node::destroyed);
  }
  auto array = std::make_unique<int[]>(20);
  std::unique_ptr<FILE, int (*)(FILE*)> file(std::tmpfile(), std::fclose);
  std::fprintf(file.get(), "%d", array[7] + 3);
  std::printf("%d %ld\n", Node::destroyed, std::ftell(file.get()));
}
