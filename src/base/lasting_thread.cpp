#include "base/lasting_thread.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace faultline {
namespace {

class LastingThread {
public:
  LastingThread() {
    std::thread([this] { serve(); }).detach();
  }

  void run(const std::function<void()>& work) {
    std::lock_guard oneAtATime(asking_);
    std::unique_lock lock(mutex_);
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !work_; });
  }

private:
  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return work_; });
      (*work_)();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex asking_, mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
};

} // namespace

void onLastingThread(const std::function<void()>& work) {
  static auto* const thread = new LastingThread; // never gone: the thread waits in it
  thread->run(work);
}

} // namespace faultline
