// route: fastest ways through a timetable.
//
//   line NAME FIRST EVERY LAST        a service that leaves at FIRST, then every EVERY minutes, until LAST
//   stop NAME PLACE MINUTES           it calls at PLACE, MINUTES after it left
//   walk A B MINUTES                  on foot, both ways
//   from A TO B AT TIME               prints the way that arrives first
//
// Times are H:MM. A change of lines needs two minutes.
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <map>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int CHANGE = 2;
constexpr int NEVER = 1 << 30;

struct Stop {
  int place;
  int after;
};

struct Line {
  std::string name;
  int first, every, last;
  std::vector<Stop> stops;
};

struct Walk {
  int to;
  int minutes;
};

struct Leg {
  int from = -1, to = -1;
  int line = -1; // -1: on foot
  int leaves = 0, arrives = NEVER;
};

class Network {
public:
  int place(const std::string& name) {
    auto [at, isNew] = m_places.try_emplace(name, static_cast<int>(m_names.size()));
    if (isNew) {
      m_names.push_back(name);
      m_walks.emplace_back();
    }
    return at->second;
  }

  void addLine(Line line) { m_lines.push_back(std::move(line)); }

  bool addStop(const std::string& line, const std::string& where, int after) {
    for (Line& l : m_lines) {
      if (l.name != line) continue;
      if (!l.stops.empty() && l.stops.back().after >= after) return false;
      l.stops.push_back({place(where), after});
      return true;
    }
    return false;
  }

  void addWalk(const std::string& a, const std::string& b, int minutes) {
    int from = place(a), to = place(b);
    m_walks[from].push_back({to, minutes});
    m_walks[to].push_back({from, minutes});
  }

  std::vector<Leg> find(int from, int to, int at) const;
  void print(const std::vector<Leg>& legs) const;

private:
  using Queue = std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>>;

  static int departure(const Line& line, int offset, int earliest);
  void relax(std::vector<Leg>& best, Queue& queue, Leg leg) const;
  void ride(std::vector<Leg>& best, Queue& queue, int place, int now) const;

  std::map<std::string, int> m_places;
  std::vector<std::string> m_names;
  std::vector<std::vector<Walk>> m_walks;
  std::vector<Line> m_lines;
};

// When the line next leaves a stop that it reaches `offset` minutes after its start; NEVER if no more today.
int Network::departure(const Line& line, int offset, int earliest) {
  int wanted = std::max(earliest - offset, line.first);
  int runs = (wanted - line.first + line.every - 1) / line.every;
  int start = line.first + runs * line.every;
  return start <= line.last ? start + offset : NEVER;
}

void Network::relax(std::vector<Leg>& best, Queue& queue, Leg leg) const {
  if (leg.arrives >= best[leg.to].arrives) return;
  best[leg.to] = leg;
  queue.emplace(leg.arrives, leg.to);
}

void Network::ride(std::vector<Leg>& best, Queue& queue, int place, int now) const {
  for (size_t n = 0; n < m_lines.size(); n++) {
    const Line& line = m_lines[n];
    for (size_t i = 0; i < line.stops.size(); i++) {
      if (line.stops[i].place != place) continue;
      int last = best[place].line;
      bool isChange = last >= 0 && last != static_cast<int>(n);
      int leaves = departure(line, line.stops[i].after, now + (isChange ? CHANGE : 0));
      if (leaves == NEVER) continue;
      for (size_t k = i + 1; k < line.stops.size(); k++) {
        int arrives = leaves + line.stops[k].after - line.stops[i].after;
        relax(best, queue, {place, line.stops[k].place, static_cast<int>(n), leaves, arrives});
      }
    }
  }
}

std::vector<Leg> Network::find(int from, int to, int at) const {
  std::vector<Leg> best(m_names.size());
  Queue queue;
  best[from].arrives = at;
  queue.emplace(at, from);
  while (!queue.empty()) {
    auto [now, place] = queue.top();
    queue.pop();
    if (now > best[place].arrives) continue;
    if (place == to) break;
    for (const Walk& walk : m_walks[place]) relax(best, queue, {place, walk.to, -1, now, now + walk.minutes});
    ride(best, queue, place, now);
  }
  std::vector<Leg> legs;
  if (best[to].arrives == NEVER) return legs;
  for (int place = to; place != from; place = best[place].from) legs.push_back(best[place]);
  std::reverse(legs.begin(), legs.end());
  return legs;
}

std::string clock(int minutes) {
  char text[16];
  std::snprintf(text, sizeof text, "%d:%02d", minutes / 60, minutes % 60);
  return text;
}

void Network::print(const std::vector<Leg>& legs) const {
  for (const Leg& leg : legs) {
    std::cout << clock(leg.leaves) << ' ' << m_names[leg.from] << " - " << clock(leg.arrives) << ' '
              << m_names[leg.to];
    if (leg.line < 0)
      std::cout << " on foot\n";
    else
      std::cout << " by " << m_lines[leg.line].name << '\n';
  }
  int total = legs.back().arrives - legs.front().leaves;
  std::cout << "arrives " << clock(legs.back().arrives) << ", " << total << " minutes, " << legs.size()
            << " legs\n";
}

int parseTime(const std::string& text) {
  size_t colon = text.find(':');
  if (colon == std::string::npos) return std::stoi(text) * 60;
  return std::stoi(text.substr(0, colon)) * 60 + std::stoi(text.substr(colon + 1));
}

bool run(Network& network, const std::string& text) {
  std::istringstream in(text);
  std::string command, a, b, word, time;
  in >> command;
  if (command.empty() || command[0] == '#') return true;
  if (command == "line") {
    Line line;
    std::string first, last;
    in >> line.name >> first >> line.every >> last;
    line.first = parseTime(first);
    line.last = parseTime(last);
    network.addLine(line);
    return true;
  }
  int minutes = 0;
  if (command == "stop" || command == "walk") {
    in >> a >> b >> minutes;
    if (command == "stop") return network.addStop(a, b, minutes);
    network.addWalk(a, b, minutes);
    return true;
  }
  if (command != "from") return false;
  in >> a >> word >> b >> word >> time;
  std::vector<Leg> legs = network.find(network.place(a), network.place(b), parseTime(time));
  if (legs.empty())
    std::cout << "no way from " << a << " to " << b << '\n';
  else
    network.print(legs);
  return true;
}

} // namespace

int main() {
  Network network;
  std::string text;
  int wrong = 0;
  for (int number = 1; std::getline(std::cin, text); number++) {
    if (run(network, text)) continue;
    std::cout << "line " << number << " is wrong\n";
    wrong = 1;
  }
  return wrong;
}
