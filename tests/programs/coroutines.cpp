// C++20 coroutines: a generator, tasks that await each other, exceptions through them, values kept across
// suspension, early destruction.
//
// flags: -std=c++20
// builds: O0,O2
#include <coroutine>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

template <class T> struct Generator {
  struct promise_type {
    T current;
    std::exception_ptr failed;
    Generator get_return_object() {
      return Generator{std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T v) {
      current = std::move(v);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { failed = std::current_exception(); }
  };
  explicit Generator(std::coroutine_handle<promise_type> h) : handle(h) {}
  Generator(Generator&& o) noexcept : handle(std::exchange(o.handle, {})) {}
  ~Generator() {
    if (handle) handle.destroy();
  }
  bool next() {
    handle.resume();
    if (handle.promise().failed) std::rethrow_exception(handle.promise().failed);
    return !handle.done();
  }
  const T& value() const { return handle.promise().current; }
  std::coroutine_handle<promise_type> handle;
};

struct Guard {
  int n;
  ~Guard() { std::printf("~%d ", n); }
};

static Generator<long> fibonacci(int limit) {
  Guard guard{limit};
  long a = 0, b = 1;
  int history[4] = {};
  for (int i = 0; i < limit; ++i) {
    history[i % 4] += int(a);
    co_yield a + history[(i + 1) % 4] * 0;
    a = std::exchange(b, a + b);
  }
  std::printf("end %d ", history[1] + history[2]);
}
static Generator<std::string> words(std::string text) {
  std::string word;
  for (char c : text + " ") {
    if (c == '!') throw std::runtime_error("bang after " + word);
    if (c != ' ')
      word += c;
    else if (!word.empty())
      co_yield std::exchange(word, {});
  }
}

struct Task {
  struct promise_type {
    int result = 0;
    std::coroutine_handle<> waiter;
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Awaiter {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
          return h.promise().waiter ? h.promise().waiter : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return Awaiter{};
    }
    void return_value(int v) { result = v; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Task() { handle.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> h) {
    handle.promise().waiter = h;
    return handle;
  }
  int await_resume() { return handle.promise().result; }
};
static Task power(int base, int n) {
  if (n == 0) co_return 1;
  int below = co_await power(base, n - 1);
  co_return below* base % 10007;
}

int main() {
  {
    auto g = fibonacci(30), early = fibonacci(5);
    long sum = 0;
    while (g.next()) sum = sum * 3 + g.value();
    early.next(), early.next(), early.next();
    std::printf("%ld %ld ", sum, early.value());
  }
  std::puts("");
  auto w = words("some words then bang! never");
  try {
    while (w.next()) std::printf("<%s> ", w.value().c_str());
  } catch (const std::exception& e) {
    std::printf("%s\n", e.what());
  }
  Task t = power(7, 50);
  t.handle.resume();
  std::printf("%d %d\n", t.handle.promise().result, t.handle.done());
}
