// Recordings. Half of what the fuzzer makes is changed inside of the packed log, and gets right checksums.
//
//   FAULTLINE_FIR=seeds/image fuzz_recording seeds/recording     replays them, too (see scripts/fuzz.sh)
#include "mutation/read_all.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>

using namespace faultline;
using namespace faultline::test;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t maxSize);

namespace {

const std::vector<fir::Image>& images() {
  static const std::vector<fir::Image> all = [] {
    std::vector<fir::Image> found;
    const char* folder = getenv("FAULTLINE_FIR");
    if (!folder) return found;
    for (auto& entry : std::filesystem::directory_iterator(folder))
      if (auto image = fir::openImage(entry.path().string())) found.push_back(*image);
    return found;
  }();
  return all;
}

void mutateBytes(Bytes& bytes) {
  size_t size = bytes.size();
  bytes.resize(size + 64);
  bytes.resize(LLVMFuzzerMutate(bytes.data(), size, bytes.size()));
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t maxSize, unsigned seed) {
  Random random(seed);
  Bytes file(data, data + size);
  std::vector<Chunk> chunks = chunksOf(file);
  if (chunks.empty() || random() % 4 == 0) return LLVMFuzzerMutate(data, size, maxSize);
  Bytes made;
  if (random() % 2) {
    made = mutateRecording(file, random()).bytes;
  } else {
    Chunk& chunk = chunks[below(random, chunks.size())];
    if (chunk.kind == recording::ChunkKind::Log) {
      Bytes raw = unpackLog(chunk);
      uint64_t firstEpoch = 0;
      std::memcpy(&firstEpoch, chunk.stored.data(), std::min<size_t>(8, chunk.stored.size()));
      mutateBytes(raw);
      chunk = packLog(firstEpoch, raw);
    } else {
      mutateBytes(chunk.stored);
      if (chunk.kind == recording::ChunkKind::Meta || chunk.kind == recording::ChunkKind::End)
        chunk.rawSize = chunk.stored.size();
    }
    made = recordingOf(chunks);
  }
  if (made.size() > maxSize) return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, made.data(), made.size());
  return made.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ReadLimits limits;
  limits.steps = 200'000;
  if (!readRecording(Bytes(data, data + size), images(), limits).empty()) abort();
  return 0;
}
