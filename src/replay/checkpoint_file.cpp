#include "replay/checkpoint_file.h"

#include "base/bytes.h"

#include <algorithm>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::replay {
namespace {

constexpr const char* kName = "checkpoints";
constexpr uint32_t kFileVersion = 1;
constexpr uint32_t kPartBytes = 8 + 8 + 4 + 4;
constexpr uint32_t kStateBytes = 8 + 8 + 1 + kPartBytes;
// Beside a recording of a few megabytes, more would surprise. Only programs that write all over hundreds of
// megabytes come near it.
constexpr uint64_t kMostPacked = 128'000'000;
constexpr uint64_t kMostRaw = 1 << 30; // bounds the time that it takes to write: about a second
constexpr uint32_t kMostRoot = 64 << 20;

std::vector<uint8_t> pack(std::span<const uint8_t> bytes) {
  std::vector<uint8_t> packed(ZSTD_compressBound(bytes.size()));
  size_t size = ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1);
  assert(!ZSTD_isError(size));
  packed.resize(size);
  return packed;
}

} // namespace

std::vector<size_t> spreadOrder(size_t count) {
  std::vector<size_t> order;
  if (count == 0) return order;
  order.push_back(count - 1);
  if (count > 1) order.push_back(0);
  // Halves, then quarters, ...
  std::vector<std::pair<size_t, size_t>> gaps = {{0, count - 1}};
  for (size_t k = 0; k < gaps.size(); ++k) {
    auto [low, high] = gaps[k];
    if (high - low < 2) continue;
    size_t middle = low + (high - low) / 2;
    order.push_back(middle);
    gaps.push_back({low, middle});
    gaps.push_back({middle, high});
  }
  return order;
}

struct CheckpointFileWriter {
  recording::SideFileWriter out;
  std::vector<CheckpointFile::Part> blocks = {};
  uint32_t pages = 0;

  Result<CheckpointFile::Part> put(std::span<const uint8_t> packed, size_t rawSize) {
    CheckpointFile::Part part{out.size(), XXH3_64bits(packed.data(), packed.size()), uint32_t(packed.size()),
                              uint32_t(rawSize)};
    FL_CHECK(out.put(packed));
    return part;
  }
  Result<void> putBlock(uint32_t count, std::span<const uint8_t> packed) {
    FL_TRY(part, put(packed, count * kPageSize));
    blocks.push_back(part);
    pages += count;
    return {};
  }
  static void describe(ByteWriter& directory, const CheckpointFile::Part& part) {
    directory.put(part.offset);
    directory.put(part.hash);
    directory.put(part.size);
    directory.put(part.rawSize);
  }
};

Result<void> CheckpointFile::write(const recording::SideFiles& side, const Engine& engine,
                                   std::span<const Engine::State* const> states) {
  FL_TRY(file, side.create(kName));
  CheckpointFileWriter writer{std::move(file)};
  PageWriter pages([&](uint32_t count, std::span<const uint8_t> p) { return writer.putBlock(count, p); });
  const uint64_t mostPacked = std::min(kMostPacked, side.sizeLimit() / 4 * 3);
  uint64_t packedRoots = 0;
  std::map<size_t, Part> roots;
  for (size_t k : spreadOrder(states.size())) {
    std::vector<uint8_t> root = engine.encode(*states[k], pages);
    if (root.size() > kMostRoot) continue;
    std::vector<uint8_t> packed = pack(root);
    packedRoots += packed.size();
    if (!roots.empty() && (pages.packedBytes() + packedRoots > mostPacked || pages.rawBytes() > kMostRaw))
      break;
    FL_TRY(part, writer.put(packed, root.size()));
    roots.emplace(k, part);
    if (pages.failed()) break;
  }
  FL_CHECK(pages.finish());

  ByteWriter directory;
  directory.put(kFileVersion);
  directory.put(writer.pages);
  directory.put(uint32_t(writer.blocks.size()));
  for (const Part& block : writer.blocks) CheckpointFileWriter::describe(directory, block);
  directory.put(uint32_t(roots.size()));
  for (auto& [k, part] : roots) {
    directory.put(states[k]->steps);
    directory.put(states[k]->epoch);
    directory.put(uint8_t(states[k]->ending.kind != Ending::None));
    CheckpointFileWriter::describe(directory, part);
  }
  ByteWriter trailer;
  trailer.put(uint64_t(directory.bytes().size()));
  trailer.put(uint64_t(XXH3_64bits(directory.bytes().data(), directory.bytes().size())));
  FL_CHECK(writer.out.put(directory.bytes()));
  FL_CHECK(writer.out.put(trailer.bytes()));
  return writer.out.commit();
}

std::unique_ptr<CheckpointFile> CheckpointFile::open(const recording::SideFiles& side) {
  auto file = side.open(kName);
  if (!file) return nullptr;
  std::unique_ptr<CheckpointFile> out(new CheckpointFile(std::move(*file)));
  if (!out->readDirectory()) return nullptr;
  return out;
}

bool CheckpointFile::readDirectory() {
  uint8_t end[16];
  if (file_.size() < sizeof end || !file_.read(file_.size() - sizeof end, end)) return false;
  ByteReader trailer(end);
  auto size = trailer.take<uint64_t>();
  auto hash = trailer.take<uint64_t>();
  if (size > file_.size() - sizeof end) return false;
  std::vector<uint8_t> bytes(size);
  if (!file_.read(file_.size() - sizeof end - size, bytes) || XXH3_64bits(bytes.data(), size) != hash)
    return false;
  ByteReader in(bytes);
  auto takePart = [&] {
    Part part;
    part.offset = in.take<uint64_t>();
    part.hash = in.take<uint64_t>();
    part.size = in.take<uint32_t>();
    part.rawSize = in.take<uint32_t>();
    return part;
  };
  if (in.take<uint32_t>() != kFileVersion) return false;
  auto pages = in.take<uint32_t>();
  auto blocks = in.take<uint32_t>();
  if (blocks > in.left() / kPartBytes || blocks != (uint64_t(pages) + kPagesPerBlock - 1) / kPagesPerBlock)
    return false;
  for (uint32_t k = 0; k < blocks; ++k) blocks_.push_back(takePart());
  auto states = in.take<uint32_t>();
  if (states > in.left() / kStateBytes) return false;
  for (uint32_t k = 0; k < states; ++k) {
    KeptState state;
    state.time = in.take<uint64_t>();
    state.epoch = in.take<uint64_t>();
    state.ended = in.take<uint8_t>() != 0;
    bool ordered = states_.empty() || (state.time >= states_.back().time && !states_.back().ended);
    if (!ordered) return false;
    states_.push_back(state);
    roots_.push_back(takePart());
    if (roots_.back().rawSize > kMostRoot) return false;
  }
  pages_.emplace(pages, [this](uint32_t block) { return part(blocks_.at(block)); });
  return in.ok() && in.left() == 0;
}

Result<std::vector<uint8_t>> CheckpointFile::part(const Part& part) const {
  if (part.size > file_.size()) return errorf("a part of the checkpoints is missing");
  std::vector<uint8_t> bytes(part.size);
  if (!file_.read(part.offset, bytes) || XXH3_64bits(bytes.data(), bytes.size()) != part.hash)
    return errorf("a part of the checkpoints is damaged");
  return bytes;
}

Result<Engine::State> CheckpointFile::load(size_t number, Engine& engine) {
  const Part& where = roots_.at(number);
  FL_TRY(packed, part(where));
  auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size != where.rawSize) return errorf("a part of the checkpoints is damaged");
  std::vector<uint8_t> root(where.rawSize);
  size_t got = ZSTD_decompress(root.data(), root.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) || got != root.size()) return errorf("a part of the checkpoints is damaged");
  FL_TRY(state, engine.decode(root, *pages_));
  const KeptState& said = states_[number];
  if (state.steps != said.time || state.epoch != said.epoch ||
      (state.ending.kind != Ending::None) != said.ended)
    return errorf("a state of the checkpoints is not the one that its directory has");
  return state;
}

} // namespace faultline::replay
