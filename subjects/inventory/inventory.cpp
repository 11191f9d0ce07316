// inventory: stock, orders and what is owed, from a journal on standard input.
//
//   item NAME PRICE [MIN]       a kind of goods, its price in cents, and when to order again
//   receive NAME COUNT          goods arrive; waiting orders are served in their order
//   order CUSTOMER NAME COUNT   is delivered at once if there is enough, waits otherwise
//   cancel CUSTOMER NAME        the customer's waiting order
//   pay CUSTOMER CENTS
//   discount NAME PERCENT       for later deliveries
//   undo                        the last command that changed something
//   report
#include <algorithm>
#include <deque>
#include <functional>
#include <iomanip>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

class Error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct Item {
  long price = 0;
  long stock = 0;
  long least = 0;
  int discount = 0;

  long cost(long count) const {
    long full = price * count;
    return full - full * discount / 100;
  }
};

struct Order {
  int number;
  std::string customer;
  std::string item;
  long count;
};

struct State {
  std::map<std::string, Item> items;
  std::map<std::string, long> owed;
  std::deque<Order> waiting;
  int nextOrder = 1;
  long delivered = 0;
};

class Inventory {
public:
  void run(const std::string& line);
  void report(std::ostream& out) const;

private:
  using Words = std::istringstream;

  Item& item(const std::string& name);
  void define(Words& words);
  void receive(Words& words);
  void order(Words& words);
  void cancel(Words& words);
  void pay(Words& words);
  void discount(Words& words);
  void undo();
  void deliver(const Order& order);
  void serve(const std::string& name);

  State m_state;
  std::vector<std::unique_ptr<State>> m_history;
};

template <typename T> T next(std::istringstream& words, const char* what) {
  T value{};
  if (!(words >> value)) throw Error(std::string("missing ") + what);
  return value;
}

long positive(std::istringstream& words, const char* what) {
  long value = next<long>(words, what);
  if (value <= 0) throw Error(std::string(what) + " must be positive");
  return value;
}

Item& Inventory::item(const std::string& name) {
  auto at = m_state.items.find(name);
  if (at == m_state.items.end()) throw Error("no item " + name);
  return at->second;
}

void Inventory::define(Words& words) {
  auto name = next<std::string>(words, "name");
  if (m_state.items.count(name)) throw Error(name + " is there already");
  Item item;
  item.price = positive(words, "price");
  if (!(words >> item.least)) item.least = 0;
  m_state.items[name] = item;
}

void Inventory::deliver(const Order& order) {
  Item& goods = item(order.item);
  goods.stock -= order.count;
  m_state.owed[order.customer] += goods.cost(order.count);
  m_state.delivered += order.count;
  std::cout << "order " << order.number << " delivered to " << order.customer << '\n';
}

// In their order, and none before an earlier one for the same goods.
void Inventory::serve(const std::string& name) {
  auto at = m_state.waiting.begin();
  while (at != m_state.waiting.end()) {
    if (at->item != name) {
      ++at;
      continue;
    }
    if (item(name).stock < at->count) break;
    deliver(*at);
    at = m_state.waiting.erase(at);
  }
}

void Inventory::receive(Words& words) {
  auto name = next<std::string>(words, "name");
  item(name).stock += positive(words, "count");
  serve(name);
}

void Inventory::order(Words& words) {
  Order order;
  order.customer = next<std::string>(words, "customer");
  order.item = next<std::string>(words, "item");
  order.count = positive(words, "count");
  const Item& goods = item(order.item);
  order.number = m_state.nextOrder++;
  bool isFirst = std::none_of(m_state.waiting.begin(), m_state.waiting.end(),
                              [&](const Order& other) { return other.item == order.item; });
  if (isFirst && goods.stock >= order.count) {
    deliver(order);
    return;
  }
  m_state.waiting.push_back(order);
  std::cout << "order " << order.number << " waits\n";
}

void Inventory::cancel(Words& words) {
  auto customer = next<std::string>(words, "customer");
  auto name = next<std::string>(words, "item");
  auto at = std::find_if(m_state.waiting.begin(), m_state.waiting.end(),
                         [&](const Order& o) { return o.customer == customer && o.item == name; });
  if (at == m_state.waiting.end()) throw Error("nothing to cancel");
  m_state.waiting.erase(at);
  serve(name);
}

void Inventory::pay(Words& words) {
  auto customer = next<std::string>(words, "customer");
  long cents = positive(words, "sum");
  auto at = m_state.owed.find(customer);
  if (at == m_state.owed.end() || at->second < cents) throw Error(customer + " does not owe that");
  at->second -= cents;
  if (at->second == 0) m_state.owed.erase(at);
}

void Inventory::discount(Words& words) {
  auto name = next<std::string>(words, "name");
  long percent = next<long>(words, "percent");
  if (percent < 0 || percent > 100) throw Error("no such discount");
  item(name).discount = static_cast<int>(percent);
}

void Inventory::undo() {
  if (m_history.empty()) throw Error("nothing to undo");
  m_state = *m_history.back();
  m_history.pop_back();
}

void Inventory::run(const std::string& line) {
  static const std::map<std::string, void (Inventory::*)(Words&)> commands = {
      {"item", &Inventory::define},   {"receive", &Inventory::receive}, {"order", &Inventory::order},
      {"cancel", &Inventory::cancel}, {"pay", &Inventory::pay},         {"discount", &Inventory::discount},
  };
  Words words(line);
  std::string command;
  words >> command;
  if (command.empty() || command[0] == '#') return;
  if (command == "report") return report(std::cout);
  if (command == "undo") return undo();
  auto at = commands.find(command);
  if (at == commands.end()) throw Error("unknown: " + command);
  auto before = std::make_unique<State>(m_state);
  try {
    (this->*at->second)(words);
  } catch (...) {
    m_state = *before;
    throw;
  }
  m_history.push_back(std::move(before));
}

void Inventory::report(std::ostream& out) const {
  long worth = 0;
  for (const auto& [name, item] : m_state.items) {
    out << std::left << std::setw(10) << name << std::right << std::setw(6) << item.stock;
    if (item.stock < item.least) out << "  order " << item.least - item.stock;
    out << '\n';
    worth += item.cost(item.stock);
  }
  out << "worth " << worth << ", delivered " << m_state.delivered << '\n';
  for (const auto& [customer, cents] : m_state.owed) out << customer << " owes " << cents << '\n';
  for (const Order& order : m_state.waiting)
    out << "waiting: " << order.number << ' ' << order.customer << ' ' << order.item << ' ' << order.count
        << '\n';
}

} // namespace

int main() {
  Inventory inventory;
  std::string line;
  int errors = 0;
  for (int number = 1; std::getline(std::cin, line); number++) {
    try {
      inventory.run(line);
    } catch (const Error& error) {
      std::cout << "line " << number << ": " << error.what() << '\n';
      errors++;
    }
  }
  return errors > 0 ? 1 : 0;
}
