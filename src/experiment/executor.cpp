#include "experiment/executor.h"

#include <deque>

namespace faultline::experiment {

Result<void> runInOrder(Executor& executor, size_t count, const std::function<RunSpec(size_t)>& spec,
                        const std::function<bool(size_t, const Outcome&)>& take) {
  struct Pending {
    Executor& executor;
    std::deque<Executor::Ticket> tickets = {};
    ~Pending() {
      for (auto ticket : tickets) executor.cancel(ticket);
    }
  } pending{executor};
  size_t width = std::max<size_t>(executor.width(), 1), asked = 0;
  for (size_t i = 0; i < count; ++i) {
    for (; asked < count && asked < i + width; ++asked)
      pending.tickets.push_back(executor.submit(spec(asked)));
    Executor::Ticket ticket = pending.tickets.front();
    pending.tickets.pop_front();
    FL_TRY(outcome, executor.wait(ticket));
    if (!take(i, outcome)) break;
  }
  return {};
}

} // namespace faultline::experiment
