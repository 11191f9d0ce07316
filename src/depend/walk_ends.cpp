#include "depend/walk_ends.h"

#include <algorithm>
#include <bit>

namespace faultline::depend {

namespace {

constexpr const char* kEndsName = "ends";
constexpr uint32_t kEndsVersion = 1;
constexpr uint64_t kMostEndBytes = 32 << 20;
constexpr size_t kMost = 512;

uint64_t bytesOf(const WalkEnd& end) {
  return sizeof end + end.instances.size() * sizeof end.instances[0] +
         end.firsts.size() * sizeof end.firsts[0] + end.leaves.size() * sizeof end.leaves[0];
}

void putConsumer(ByteWriter& out, const WalkEnd::Consumer& c) {
  putNumber(out, c.id);
  putNumber(out, c.time);
}

WalkEnd::Consumer takeConsumer(ByteReader& in) {
  WalkEnd::Consumer c;
  c.id = takeSmall(in);
  c.time = takeNumber(in);
  return c;
}

} // namespace

std::vector<uint8_t> encodeEnd(const WalkEnd& end) {
  ByteWriter out;
  putNumber(out, end.time);
  for (uint64_t word : end.wants) out.put(word);
  putNumber(out, end.start);
  putNumber(out, end.instances.size());
  for (auto [id, count] : end.instances) putNumber(out, id), putNumber(out, count);
  putNumber(out, end.firsts.size());
  for (const WalkEnd::First& f : end.firsts) {
    putNumber(out, f.time);
    putNumber(out, f.id);
    putNumber(out, f.thread);
    out.put(uint8_t(f.why));
    putConsumer(out, f.consumer);
  }
  putNumber(out, end.leaves.size());
  for (const WalkEnd::LeafAt& l : end.leaves) {
    out.put(uint8_t(l.leaf.kind));
    for (uint64_t n : {l.leaf.time, uint64_t(l.leaf.id), l.leaf.from, l.leaf.size}) putNumber(out, n);
    putConsumer(out, l.consumer);
  }
  putNumber(out, end.blackBoxes.size());
  for (auto& [name, count] : end.blackBoxes) {
    putNumber(out, name.size());
    out.put(std::span(reinterpret_cast<const uint8_t*>(name.data()), name.size()));
    putNumber(out, count);
  }
  return out.take();
}

std::optional<WalkEnd> decodeEnd(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  WalkEnd end;
  uint64_t count = 0;
  end.time = takeNumber(in);
  for (uint64_t& word : end.wants) word = in.take<uint64_t>();
  end.start = takeNumber(in);
  if (!takeCount(in, count)) return std::nullopt;
  for (uint64_t k = 0; k < count; ++k) {
    uint32_t id = takeSmall(in);
    end.instances.push_back({id, takeNumber(in)});
  }
  if (!takeCount(in, count)) return std::nullopt;
  end.firsts.resize(count);
  for (WalkEnd::First& f : end.firsts) {
    f.time = takeNumber(in);
    f.id = takeSmall(in);
    f.thread = takeSmall(in);
    f.why = Why(in.take<uint8_t>());
    f.consumer = takeConsumer(in);
    if (f.why > Why::Thrown) return std::nullopt;
  }
  if (!takeCount(in, count)) return std::nullopt;
  end.leaves.resize(count);
  for (WalkEnd::LeafAt& l : end.leaves) {
    l.leaf.kind = Leaf::Kind(in.take<uint8_t>());
    l.leaf.time = takeNumber(in);
    l.leaf.id = takeSmall(in);
    l.leaf.from = takeNumber(in);
    l.leaf.size = takeNumber(in);
    l.consumer = takeConsumer(in);
    if (l.leaf.kind > Leaf::Stopped) return std::nullopt;
  }
  if (!takeCount(in, count)) return std::nullopt;
  for (uint64_t k = 0; k < count; ++k) {
    std::span<const uint8_t> name = in.take(takeNumber(in));
    end.blackBoxes.push_back(
        {std::string(reinterpret_cast<const char*>(name.data()), name.size()), takeNumber(in)});
  }
  if (!in.ok() || in.left() != 0 || end.start > end.time) return std::nullopt;
  return end;
}

const WalkEnd* WalkEnds::find(uint64_t time, const WantsDigest& wants) const {
  for (auto [it, last] = ends_.equal_range(time); it != last; ++it)
    if (it->second.wants == wants) return &it->second;
  return nullptr;
}

void WalkEnds::add(WalkEnd end) {
  if (find(end.time, end.wants)) return;
  bytes_ += bytesOf(end);
  uint64_t time = end.time;
  order_.push_back(ends_.emplace(time, std::move(end)));
  while (order_.size() > 1 && (order_.size() > kMost || bytes_ > kMostEndBytes)) {
    bytes_ -= bytesOf(order_.front()->second);
    ends_.erase(order_.front());
    order_.erase(order_.begin());
  }
  isNew_ = true;
}

bool WalkEnds::isWorthIt(uint64_t time, uint64_t windows) const {
  uint64_t step = std::bit_floor(std::max<uint64_t>(1, windows / 4));
  return time / windowInstructions_ % step == 0;
}

void WalkEnds::load(const recording::SideFiles& side) {
  auto content = readPacked(side, kEndsName);
  if (!content) return;
  ByteReader in(*content);
  if (in.take<uint32_t>() != kEndsVersion || in.take<uint64_t>() != windowInstructions_) return;
  std::vector<WalkEnd> all;
  for (uint64_t left = takeNumber(in); left > 0 && in.ok(); --left) {
    auto end = decodeEnd(in.take(takeNumber(in)));
    if (!end) return;
    all.push_back(std::move(*end));
  }
  if (!in.ok() || in.left() != 0) return;
  for (WalkEnd& end : all) add(std::move(end));
  isNew_ = false;
}

Result<void> WalkEnds::write(const recording::SideFiles& side) {
  if (!isNew_) return {};
  ByteWriter content;
  content.put(kEndsVersion);
  content.put(windowInstructions_);
  putNumber(content, order_.size());
  for (auto end : order_) {
    std::vector<uint8_t> bytes = encodeEnd(end->second);
    putNumber(content, bytes.size());
    content.put(std::span<const uint8_t>(bytes));
  }
  FL_CHECK(writePacked(side, kEndsName, content.bytes()));
  isNew_ = false;
  return {};
}

} // namespace faultline::depend
