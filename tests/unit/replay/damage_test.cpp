// Neither FIR nor log is to be trusted: whatever they say, replay ends with an answer or an error.
#include "program_generator.h"

#include <csignal>

using namespace faultline;
using namespace faultline::replay;
using namespace faultline::replay::testing;

namespace {

ReplayOptions small() {
  ReplayOptions options;
  options.memoryLimit = 32 << 20;
  options.stackWordsLimit = 1 << 18;
  options.maxSteps = 100000;
  options.checkpointInterval = 10000;
  return options;
}

void runOn(std::vector<char> image, std::vector<std::vector<uint8_t>> log) {
  auto made = fir::imageFromBytes(std::move(image));
  if (!made) return;
  auto reader = recording::LogReader::open(std::make_shared<recording::MemoryLog>(std::move(log)));
  if (!reader) return;
  std::vector<fir::Image> images;
  images.push_back(*made);
  auto replay = Replay::open(std::move(images), std::move(*reader), small());
  ASSERT_TRUE(bool(replay));
  auto report = replay->verify();
  (void)replay->seek(500);
  (void)replay->frames();
  (void)replay->runToEnd();
  (void)report;
}

// A program with one of everything that records are about.
LogWriter richLog(Assembler& a, uint32_t main) {
  auto log = a.log();
  log.enter(0, FL_EXT_ROOT, main, {1, 2})
      .load(2, main + 5, 1, 4)
      .effect(3, main + 9, kData, "abc")
      .signal(4, SIGUSR1, FL_AT_EPOCH)
      .enter(4, FL_EXT_ROOT, main, {7, 8})
      .thread(1)
      .switchTo(6, 1, 0)
      .enter(6, FL_EXT_ROOT, main, {3, 4})
      .fault(9, SIGSEGV, 1, kData + 3, true, FL_AT_INSTRUCTION)
      .ret(main + 4, 3)
      .value(main + 6, "12345678")
      .land(10, main + 1, 5, 6, FL_EXT_ROOT)
      .rejump(11, main + 2, 7, FL_EXT_ROOT)
      .exit(12, 0, FL_EXT_ROOT)
      .final({kData, 5});
  return log;
}

TEST(Damage, LogsChangedAtRandom) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 400; ++round) {
    Generator g(random() % 4);
    auto image = g.assembler.builder.finish(kHash);
    auto chunks = richLog(g.assembler, g.main()).chunks();
    for (uint64_t k = 0, n = 1 + random() % 6; k < n; ++k) {
      auto& chunk = chunks[random() % chunks.size()];
      if (!chunk.empty()) chunk[random() % chunk.size()] = uint8_t(random());
    }
    runOn(std::move(image), std::move(chunks));
  }
}

TEST(Damage, ImagesChangedAtRandom) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 600; ++round) {
    Generator g(random() % 4);
    fir::ImageBuilder& b = g.assembler.builder;
    auto change = [&](auto& array, uint64_t n) {
      if (array.empty()) return;
      auto* bytes = reinterpret_cast<uint8_t*>(array.data());
      uint64_t size = array.size() * sizeof(array[0]);
      for (uint64_t k = 0; k < n; ++k) {
        uint64_t at = random() % size;
        // Most numbers in FIR are small; near ones do more harm than wild ones.
        bytes[at] = random() % 3 ? uint8_t(bytes[at] + int(random() % 5) - 2) : uint8_t(random());
      }
    };
    switch (random() % 6) {
    case 0:
      change(b.instructions, 3);
      break;
    case 1:
      change(b.operands, 3);
      break;
    case 2:
      change(b.types, 1);
      break;
    case 3:
      change(b.functions, 2);
      break;
    case 4:
      change(b.blocks, 2);
      break;
    default:
      change(b.instructions, 1), change(b.operands, 1), change(b.constants, 1), change(b.calls, 1),
          change(b.arguments, 1);
    }
    auto log = g.assembler.log();
    log.enter(0, FL_EXT_ROOT, g.main(), {1, 2}).exit(5000, 0, FL_EXT_ROOT);
    runOn(b.finish(kHash), log.chunks());
  }
}

} // namespace
