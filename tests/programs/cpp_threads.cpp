// std::thread, async, future and promise with values and exceptions, condition_variable, shared_mutex,
// atomic wait and notify, latch, barrier, jthread with stop_token, thread_local objects with destructors.
//
// flags: -std=c++20 -pthread
// builds: O0,O2
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <numeric>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

static std::mutex mutex;
static std::atomic<int> destroyed;
struct Local {
  explicit Local(int n) : n(n), text("text of thread " + std::to_string(n)) {}
  ~Local() { destroyed += n; }
  int n;
  std::string text;
};
static thread_local Local local(1);

static long work(int n) {
  local.n = n;
  local.text += '!';
  long sum = 0;
  for (int i = 0; i < 100 * n; ++i) sum = sum * 7 % 10007 + i;
  std::lock_guard lock(mutex);
  return sum + long(local.text.size());
}

int main() {
  std::vector<std::future<long>> futures;
  for (int i = 1; i < 5; ++i) futures.push_back(std::async(std::launch::async, work, i));
  auto lazy = std::async(std::launch::deferred, work, 9);
  for (auto& f : futures) std::printf("%ld ", f.get());
  std::printf("%ld %d\n", lazy.get(), destroyed.load());

  auto failing = std::async(std::launch::async, []() -> int { throw std::string("thrown in a thread"); });
  try {
    failing.get();
  } catch (const std::string& s) {
    std::printf("%s\n", s.c_str());
  }
  std::promise<int> promise;
  std::thread setter([&] { promise.set_value(42); });
  std::printf("%d\n", promise.get_future().get());
  setter.join();

  std::condition_variable changed;
  std::vector<int> order;
  int turn = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        for (int round = 0; round < 3; ++round) {
          std::unique_lock lock(mutex);
          changed.wait(lock, [&] { return turn % 3 == i; });
          order.push_back(turn++);
          changed.notify_all();
        }
      });
  }
  std::printf("%d %zu\n",
              std::accumulate(order.begin(), order.end(), 0, [](int a, int b) { return a * 2 + b; }),
              order.size());

  std::atomic<int> stage = 0;
  std::latch ready(2);
  std::thread waiter([&] {
    ready.count_down();
    stage.wait(0);
    stage = stage * 10 + 2;
    stage.notify_all();
  });
  ready.arrive_and_wait();
  stage = 1;
  stage.notify_one();
  stage.wait(1);
  waiter.join();
  std::printf("%d\n", stage.load());

  long phases = 0;
  std::barrier barrier(3, [&]() noexcept { phases = phases * 10 + 1; });
  std::shared_mutex shared;
  std::counting_semaphore<4> tokens(2);
  std::vector<std::thread> threads;
  std::atomic<long> reads = 0;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 4; ++k) {
        barrier.arrive_and_wait();
        tokens.acquire();
        std::shared_lock lock(shared);
        reads += phases > 0;
        tokens.release();
      }
    });
  for (auto& t : threads) t.join();
  std::jthread stoppable([](std::stop_token stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  stoppable.request_stop();
  stoppable.join();
  std::printf("%ld %ld\n", phases, reads.load());
}
