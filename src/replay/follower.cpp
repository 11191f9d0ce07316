#include "replay/follower.h"

#include "replay/checkpoint.h"
#include "replay/page_store.h"

namespace faultline::replay {
namespace {

using recording::MadeState;

// Instructions between two looks at whether it is still wanted.
constexpr uint64_t kSlice = 50'000'000;

class LogFollower : public recording::Follower {
public:
  LogFollower(std::vector<fir::Image> images, LogReader log)
      : engine_(Program(std::move(images)), std::move(log), {}) {}

  Result<MadeState> stateAt(uint32_t chunk, const std::atomic<bool>& stop) override {
    engine_.stopAtChunk(chunk);
    while (engine_.log().position().chunk < chunk) {
      if (stop) return errorf("the run is over");
      FL_TRY(why, engine_.run(engine_.steps() + kSlice, false));
      if (why == Engine::Stop::Ended) return errorf("its log ends where the run goes on");
    }
    return encode();
  }

private:
  Result<MadeState> encode() {
    Engine::State state = engine_.save();
    MadeState made;
    made.firstChunk = state.log.chunk;
    made.time = state.steps;
    state.log.chunk = 0; // what comes before is not kept
    uint32_t count = 0;
    PageWriter pages([&](uint32_t number, std::span<const uint8_t> packed) -> Result<void> {
      count += number;
      made.chunks.push_back(recording::packPages(number, packed));
      return {};
    });
    std::vector<uint8_t> root = engine_.encode(state, pages);
    FL_CHECK(pages.finish());
    if (root.size() > recording::kMaxRawSize) return errorf("its state is too large to be written");
    made.chunks.insert(made.chunks.begin(), recording::packState({state.steps, state.epoch, count, 0}, root));
    return made;
  }

  Engine engine_;
};

} // namespace

recording::MakeFollower followerOf(std::vector<fir::Image> images) {
  return
      [images = std::move(images)](
          std::shared_ptr<const recording::LogSource> log) -> Result<std::unique_ptr<recording::Follower>> {
        FL_TRY(reader, LogReader::open(std::move(log)));
        return std::unique_ptr<recording::Follower>(std::make_unique<LogFollower>(images, std::move(reader)));
      };
}

} // namespace faultline::replay
