#include "recording/log_writer.h"

#include "abi/log.h"
#include "recording/log_decode.h"

namespace faultline::recording {

void LogWriter::uleb(uint64_t value) {
  while (value >= 0x80) {
    out().push_back(uint8_t(value) | 0x80);
    value >>= 7;
  }
  out().push_back(uint8_t(value));
}

void LogWriter::fixed(uint64_t value, unsigned size) {
  for (unsigned i = 0; i < size; ++i) out().push_back(uint8_t(value >> (8 * i)));
}

void LogWriter::tagAt(uint8_t name, uint64_t epoch) {
  assert(epoch >= epoch_);
  tag(name);
  uleb(epoch - epoch_);
  epoch_ = epoch;
}

void LogWriter::bytes(std::string_view bytes) {
  uleb(bytes.size());
  out().insert(out().end(), bytes.begin(), bytes.end());
}

void LogWriter::words(std::span<const uint64_t> words) {
  for (uint64_t word : words) fixed(word, 8);
}

LogWriter& LogWriter::load(uint64_t epoch, uint32_t id, uint64_t value, unsigned size) {
  assert(size == 1 || size == 2 || size == 4 || size == 8);
  tagAt(size == 1 ? FL_LOG_LOAD1 : size == 2 ? FL_LOG_LOAD2 : size == 4 ? FL_LOG_LOAD4 : FL_LOG_LOAD8, epoch);
  uleb(id);
  fixed(value, size);
  return *this;
}

LogWriter& LogWriter::loadWide(uint64_t epoch, uint32_t id, std::string_view content) {
  tagAt(FL_LOG_LOADN, epoch);
  uleb(id);
  bytes(content);
  return *this;
}

LogWriter& LogWriter::value(uint32_t id, std::string_view content) {
  tag(FL_LOG_VALUE);
  uleb(id);
  bytes(content);
  return *this;
}

LogWriter& LogWriter::ret(uint32_t id, uint64_t value) {
  unsigned size = value == 0 ? 0 : value < 0x100 ? 1 : value <= UINT32_MAX ? 4 : 8;
  tag(size == 0 ? FL_LOG_RET0 : size == 1 ? FL_LOG_RET1 : size == 4 ? FL_LOG_RET4 : FL_LOG_RET8);
  uleb(id);
  fixed(value, size);
  return *this;
}

LogWriter& LogWriter::retWide(uint32_t id, std::string_view content) {
  tag(FL_LOG_RETN);
  uleb(id);
  bytes(content);
  return *this;
}

LogWriter& LogWriter::effect(uint64_t epoch, uint32_t id, uint64_t address, std::string_view content) {
  tagAt(FL_LOG_EFFECT, epoch);
  uleb(id);
  fixed(address, 8);
  bytes(content);
  return *this;
}

LogWriter& LogWriter::enter(uint64_t epoch, uint64_t site, uint32_t function,
                            std::span<const uint64_t> arguments) {
  tagAt(FL_LOG_ENTER, epoch);
  uleb(site);
  uleb(function);
  uleb(arguments.size());
  words(arguments);
  return *this;
}

LogWriter& LogWriter::land(uint64_t epoch, uint32_t id, uint64_t exception, uint32_t selector,
                           uint64_t site) {
  tagAt(FL_LOG_LAND, epoch);
  uleb(id);
  fixed(exception, 8);
  fixed(selector, 4);
  uleb(site);
  return *this;
}

LogWriter& LogWriter::rejump(uint64_t epoch, uint32_t id, uint32_t value, uint64_t site) {
  tagAt(FL_LOG_REJUMP, epoch);
  uleb(id);
  fixed(value, 4);
  uleb(site);
  return *this;
}

LogWriter& LogWriter::fault(uint64_t epoch, uint8_t signal, uint32_t code, uint64_t address, bool write,
                            uint8_t where, uint64_t pc, uint64_t site) {
  tagAt(FL_LOG_FAULT, epoch);
  fixed(signal, 1);
  fixed(code, 4);
  fixed(address, 8);
  fixed(write, 1);
  fixed(pc, 8);
  fixed(where, 1);
  uleb(site);
  return *this;
}

LogWriter& LogWriter::signal(uint64_t epoch, uint8_t signal, uint8_t where, uint64_t site) {
  tagAt(FL_LOG_SIGNAL, epoch);
  fixed(signal, 1);
  fixed(where, 1);
  uleb(site);
  return *this;
}

LogWriter& LogWriter::smashed(uint64_t epoch, uint32_t id) {
  tagAt(FL_LOG_SMASHED, epoch);
  uleb(id);
  return *this;
}

LogWriter& LogWriter::thread(uint32_t thread) {
  tag(FL_LOG_THREAD);
  uleb(thread);
  fixed(FL_FRAME_STACK_ADDRESS - thread * FL_FRAME_STACK_STRIDE, 8);
  return *this;
}

LogWriter& LogWriter::switchTo(uint64_t epoch, uint32_t thread, uint64_t site) {
  tagAt(FL_LOG_SWITCH, epoch);
  uleb(thread);
  uleb(site);
  return *this;
}

LogWriter& LogWriter::module(uint64_t hash, uint32_t base, uint32_t instructions,
                             std::span<const uint64_t> symbols) {
  tag(FL_LOG_MODULE);
  fixed(hash, 8);
  uleb(base);
  uleb(instructions);
  uleb(symbols.size());
  uleb(symbols.size());
  words(symbols);
  return *this;
}

LogWriter& LogWriter::fork(uint32_t pid) {
  tag(FL_LOG_FORK);
  fixed(pid, 4);
  return *this;
}

LogWriter& LogWriter::exit(uint64_t epoch, uint32_t status, uint64_t site) {
  tagAt(FL_LOG_EXIT, epoch);
  fixed(status, 4);
  uleb(site);
  return *this;
}

LogWriter& LogWriter::exec(uint64_t epoch, uint64_t site) {
  tagAt(FL_LOG_EXEC, epoch);
  uleb(site);
  return *this;
}

LogWriter& LogWriter::final(std::span<const uint64_t> pages) {
  assert(pages.size() % 2 == 0);
  tag(FL_LOG_FINAL);
  uleb(pages.size() / 2);
  words(pages);
  return *this;
}

LogWriter& LogWriter::nextChunk() {
  chunks_.emplace_back();
  epoch_ = 0;
  return *this;
}

std::vector<std::vector<uint8_t>> LogWriter::chunks() const { return chunks_; }

std::shared_ptr<const LogSource> LogWriter::source() const {
  std::vector<uint64_t> firsts;
  for (const auto& chunk : chunks_) firsts.push_back(firstEpoch(chunk.data(), chunk.data() + chunk.size()));
  return std::make_shared<MemoryLog>(chunks_, std::move(firsts));
}

} // namespace faultline::recording
