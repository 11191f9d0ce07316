#include "depend/summaries.h"

#include "depend/packed_file.h"

namespace faultline::depend {

namespace {

constexpr const char* kWindowsName = "windows";
constexpr uint32_t kWindowsVersion = 1;

bool takeThread(ByteReader& in, ThreadSummary& thread) {
  uint64_t count = 0;
  thread.thread = takeSmall(in);
  thread.entered = takeSmall(in);
  if (!takeCount(in, count)) return false;
  for (uint64_t k = 0; k < count; ++k) {
    uint32_t module = takeSmall(in);
    thread.left.push_back({module, takeSmall(in)});
  }
  thread.base.module = takeSmall(in);
  thread.base.function = takeSmall(in);
  if (!takeCount(in, count)) return false;
  uint32_t segment = 0;
  for (uint64_t k = 0; k < count; ++k) thread.segments.push_back(segment += takeSmall(in));
  return in.ok();
}

} // namespace

std::vector<uint8_t> encodeSummary(const WindowSummary& s) {
  ByteWriter out;
  putNumber(out, s.start);
  putNumber(out, s.end - s.start);
  putNumber(out, s.firstThread);
  putNumber(out, s.lastThread);
  out.put(uint8_t(s.callsUnknown | s.startsThreads << 1));
  putNumber(out, s.written.size());
  uint64_t at = 0;
  for (const WrittenRange& r : s.written) {
    putNumber(out, r.address - at);
    putNumber(out, r.size);
    at = r.address + r.size;
  }
  putNumber(out, s.threads.size());
  for (const ThreadSummary& t : s.threads) {
    putNumber(out, t.thread);
    putNumber(out, t.entered);
    putNumber(out, t.left.size());
    for (const FunctionName& f : t.left) putNumber(out, f.module), putNumber(out, f.function);
    putNumber(out, t.base.module);
    putNumber(out, t.base.function);
    putNumber(out, t.segments.size());
    uint32_t before = 0;
    for (uint32_t segment : t.segments) putNumber(out, segment - before), before = segment;
  }
  return out.take();
}

std::optional<WindowSummary> decodeSummary(std::span<const uint8_t> bytes) {
  ByteReader in(bytes);
  WindowSummary s;
  s.start = takeNumber(in);
  s.end = s.start + takeNumber(in);
  s.firstThread = takeSmall(in);
  s.lastThread = takeSmall(in);
  auto flags = in.take<uint8_t>();
  s.callsUnknown = flags & 1;
  s.startsThreads = flags & 2;
  uint64_t count = 0, at = 0;
  if (!takeCount(in, count)) return std::nullopt;
  for (uint64_t k = 0; k < count; ++k) {
    WrittenRange r;
    r.address = at + takeNumber(in);
    r.size = takeNumber(in);
    if (r.address < at || r.size == 0 || r.address + r.size < r.address) return std::nullopt;
    at = r.address + r.size;
    s.written.push_back(r);
  }
  if (!takeCount(in, count)) return std::nullopt;
  s.threads.resize(count);
  for (ThreadSummary& t : s.threads)
    if (!takeThread(in, t)) return std::nullopt;
  if (!in.ok() || in.left() != 0 || s.end < s.start) return std::nullopt;
  return s;
}

const WindowSummary* Summaries::find(uint64_t start, uint64_t end) const {
  auto it = windows_.find(start);
  return it == windows_.end() || it->second.end != end ? nullptr : &it->second.summary;
}

void Summaries::add(uint64_t start, uint64_t end, WindowSummary summary) {
  auto [it, isFirst] = windows_.try_emplace(start);
  if (!isFirst && it->second.end >= end) return;
  it->second = {end, std::move(summary)};
  isNew_ = true;
}

// The file: version, size of the windows, their number, and each with its end and size.
void Summaries::load(const recording::SideFiles& side, uint64_t windowInstructions) {
  auto content = readPacked(side, kWindowsName);
  if (!content) return;
  ByteReader in(*content);
  if (in.take<uint32_t>() != kWindowsVersion || in.take<uint64_t>() != windowInstructions) return;
  std::map<uint64_t, Entry> windows;
  for (uint64_t left = takeNumber(in); left > 0 && in.ok(); --left) {
    uint64_t end = takeNumber(in), length = takeNumber(in);
    auto summary = decodeSummary(in.take(length));
    if (!summary || summary->end > end) return;
    windows[summary->start] = {end, std::move(*summary)};
  }
  if (!in.ok() || in.left() != 0) return;
  windows_ = std::move(windows);
  isNew_ = false;
}

Result<void> Summaries::write(const recording::SideFiles& side, uint64_t windowInstructions) {
  if (!isNew_) return {};
  ByteWriter content;
  content.put(kWindowsVersion);
  content.put(windowInstructions);
  putNumber(content, windows_.size());
  for (auto& [start, entry] : windows_) {
    std::vector<uint8_t> bytes = encodeSummary(entry.summary);
    putNumber(content, entry.end);
    putNumber(content, bytes.size());
    content.put(std::span<const uint8_t>(bytes));
  }
  FL_CHECK(writePacked(side, kWindowsName, content.bytes()));
  isNew_ = false;
  return {};
}

} // namespace faultline::depend
