// Work whose result is needed later. It is begun when it is worth it, in a thread of its own, or at the
// latest when somebody asks for the result; if nobody does either, it is not done. Copies share it.
#pragma once

#include "base/result.h"

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>

namespace faultline::cli {

template <class T> class Later {
public:
  Later() = default;
  explicit Later(std::function<Result<T>()> work) : shared_(std::make_shared<Shared>()) {
    shared_->work = std::move(work);
  }

  void begin() const {
    std::call_once(shared_->once, [this] {
      shared_->result = std::async(std::launch::async, std::move(shared_->work)).share();
    });
  }
  // Waits for it.
  const Result<T>& get() const {
    begin();
    return shared_->result.get();
  }
  bool isDoneIn(double seconds) const {
    begin();
    return shared_->result.wait_for(std::chrono::duration<double>(seconds)) == std::future_status::ready;
  }

private:
  struct Shared {
    std::once_flag once;
    std::function<Result<T>()> work;
    std::shared_future<Result<T>> result;
  };
  std::shared_ptr<Shared> shared_;
};

} // namespace faultline::cli
