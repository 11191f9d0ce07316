// jobs: runs jobs in the order of their priorities, each after those that it waits for.
//
//   job NAME PRIORITY COST      the lower the number, the sooner
//   after NAME OTHER            NAME waits for OTHER
//   raise NAME PRIORITY
//   cancel NAME
//   run TIME                    as many as begin within TIME
//   list
//
// Its status is 1 if a command was wrong, 2 if jobs are left.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int NOT_QUEUED = -1;

struct Job {
  std::string name;
  int priority = 0, cost = 0;
  int waitsFor = 0;       // jobs that are not done
  int place = NOT_QUEUED; // in the heap
  bool isDone = false;
  std::vector<Job*> waiting; // for this one
};

// A heap whose jobs know their places, so that one in the middle can be moved or taken out.
class Queue {
public:
  bool empty() const { return m_size == 0; }
  int size() const { return m_size; }
  Job* first() const { return m_size ? m_heap[0] : nullptr; }

  Queue() { grow(4); }
  ~Queue() { std::free(m_heap); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void add(Job* job) {
    assert(job->place == NOT_QUEUED);
    if (m_size == m_room) grow(m_room * 2);
    put(m_size++, job);
    up(job->place);
    check();
  }

  void remove(Job* job) {
    int hole = job->place;
    assert(hole >= 0 && hole < m_size && m_heap[hole] == job);
    Job* last = m_heap[--m_size];
    job->place = NOT_QUEUED;
    if (last != job) {
      put(hole, last);
      down(hole);
      up(last->place);
    }
    check();
  }

  void moved(Job* job) {
    up(job->place);
    down(job->place);
    check();
  }

private:
  void grow(int room) {
    void* larger = std::realloc(m_heap, static_cast<size_t>(room) * sizeof(Job*));
    if (!larger) std::abort();
    m_heap = static_cast<Job**>(larger);
    m_room = room;
  }

  static bool isBefore(const Job* a, const Job* b) {
    return a->priority != b->priority ? a->priority < b->priority : a->name < b->name;
  }

  void put(int place, Job* job) {
    m_heap[place] = job;
    job->place = place;
  }

  void up(int place) {
    Job* job = m_heap[place];
    while (place > 0) {
      int parent = (place - 1) / 2;
      if (!isBefore(job, m_heap[parent])) break;
      put(place, m_heap[parent]);
      place = parent;
    }
    put(place, job);
  }

  void down(int place) {
    Job* job = m_heap[place];
    for (;;) {
      int child = 2 * place + 1;
      if (child >= m_size) break;
      if (child + 1 < m_size && isBefore(m_heap[child + 1], m_heap[child])) child++;
      if (!isBefore(m_heap[child], job)) break;
      put(place, m_heap[child]);
      place = child;
    }
    put(place, job);
  }

  void check() const {
    for (int i = 0; i < m_size; i++) {
      assert(m_heap[i]->place == i);
      assert(i == 0 || !isBefore(m_heap[i], m_heap[(i - 1) / 2]));
    }
  }

  Job** m_heap = nullptr;
  int m_size = 0, m_room = 0;
};

class Scheduler {
public:
  ~Scheduler() {
    for (auto& [name, job] : m_jobs) delete job;
  }

  bool add(const std::string& name, int priority, int cost) {
    if (cost < 0 || find(name)) return false;
    Job* job = new Job{name, priority, cost, 0, NOT_QUEUED, false, {}};
    m_jobs[name] = job;
    m_ready.add(job);
    m_open++;
    return true;
  }

  bool wait(const std::string& name, const std::string& other) {
    Job* job = find(name);
    Job* before = find(other);
    if (!job || !before || job->isDone || waits(before, job)) return false;
    if (before->isDone) return true;
    if (job->place != NOT_QUEUED) m_ready.remove(job);
    job->waitsFor++;
    before->waiting.push_back(job);
    return true;
  }

  bool raise(const std::string& name, int priority) {
    Job* job = find(name);
    if (!job || job->isDone) return false;
    job->priority = priority;
    if (job->place != NOT_QUEUED) m_ready.moved(job);
    return true;
  }

  bool cancel(const std::string& name) {
    Job* job = find(name);
    if (!job || job->isDone) return false;
    if (job->place != NOT_QUEUED) m_ready.remove(job);
    for (auto& [key, other] : m_jobs) forget(other, job);
    release(job);
    m_jobs.erase(name);
    delete job;
    m_open--;
    return true;
  }

  void run(int time) {
    int end = m_clock + time;
    while (m_clock < end) {
      Job* job = m_ready.first();
      if (!job) break;
      m_ready.remove(job);
      std::cout << m_clock << ' ' << job->name << '\n';
      m_clock += job->cost;
      job->isDone = true;
      m_open--;
      release(job);
    }
  }

  bool isAllDone() const { return m_open == 0; }

  void list() const {
    for (const auto& [name, job] : m_jobs) {
      std::cout << name << ' ' << job->priority;
      if (job->isDone)
        std::cout << " done";
      else if (job->waitsFor)
        std::cout << " waits for " << job->waitsFor;
      std::cout << '\n';
    }
    std::cout << m_ready.size() << " ready\n";
  }

private:
  Job* find(const std::string& name) const {
    auto at = m_jobs.find(name);
    return at == m_jobs.end() ? nullptr : at->second;
  }

  // Whether `job` is done only after `other`.
  static bool waits(const Job* job, const Job* other) {
    if (job == other) return true;
    for (const Job* next : other->waiting)
      if (waits(job, next)) return true;
    return false;
  }

  void release(Job* job) {
    for (Job* next : job->waiting) {
      assert(next->waitsFor > 0);
      if (--next->waitsFor == 0) m_ready.add(next);
    }
    job->waiting.clear();
  }

  static void forget(Job* other, const Job* job) {
    for (size_t i = 0; i < other->waiting.size();) {
      if (other->waiting[i] == job)
        other->waiting.erase(other->waiting.begin() + static_cast<long>(i));
      else
        i++;
    }
  }

  std::map<std::string, Job*> m_jobs;
  Queue m_ready;
  int m_clock = 0;
  int m_open = 0; // jobs that are not done
};

bool run(Scheduler& scheduler, const std::string& text) {
  std::istringstream in(text);
  std::string command, name, other;
  int number = 0, cost = 0;
  in >> command;
  if (command.empty() || command[0] == '#') return true;
  if (command == "job") return in >> name >> number >> cost && scheduler.add(name, number, cost);
  if (command == "after") return in >> name >> other && scheduler.wait(name, other);
  if (command == "raise") return in >> name >> number && scheduler.raise(name, number);
  if (command == "cancel") return in >> name && scheduler.cancel(name);
  if (command == "run" && in >> number) {
    scheduler.run(number);
    return true;
  }
  if (command != "list") return false;
  scheduler.list();
  return true;
}

} // namespace

int main() {
  Scheduler scheduler;
  std::string text;
  int wrong = 0;
  while (std::getline(std::cin, text)) {
    if (run(scheduler, text)) continue;
    std::cout << "cannot do: " << text << '\n';
    wrong = 1;
  }
  if (wrong) return 1;
  return scheduler.isAllDone() ? 0 : 2;
}
