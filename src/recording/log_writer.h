// Builds a log in memory, as the runtime would have written it, so that replay can be tested without a run.
//
//   LogWriter log;
//   log.thread(0).module(hash, 0, 20, {}).enter(1, FL_EXT_ROOT, main, {argc, argv}).ret(7, 0);
//   FL_TRY(reader, LogReader::open(log.source()));
#pragma once

#include "abi/state.h"
#include "recording/log_source.h"

#include <span>
#include <string_view>

namespace faultline::recording {

class LogWriter {
public:
  // Epochs must not fall. Each call appends one record.
  LogWriter& load(uint64_t epoch, uint32_t id, uint64_t value, unsigned size); // 1, 2, 4 or 8
  LogWriter& loadWide(uint64_t epoch, uint32_t id, std::string_view bytes);
  LogWriter& value(uint32_t id, std::string_view bytes);
  LogWriter& ret(uint32_t id, uint64_t value);
  LogWriter& retWide(uint32_t id, std::string_view bytes);
  LogWriter& effect(uint64_t epoch, uint32_t id, uint64_t address, std::string_view bytes);
  LogWriter& enter(uint64_t epoch, uint64_t site, uint32_t function, std::span<const uint64_t> words);
  LogWriter& enter(uint64_t epoch, uint64_t site, uint32_t function, std::initializer_list<uint64_t> words) {
    return enter(epoch, site, function, std::span(words.begin(), words.size()));
  }
  LogWriter& land(uint64_t epoch, uint32_t id, uint64_t exception, uint32_t selector, uint64_t site = 0);
  LogWriter& rejump(uint64_t epoch, uint32_t id, uint32_t value, uint64_t site = 0);
  LogWriter& fault(uint64_t epoch, uint8_t signal, uint32_t code, uint64_t address, bool write,
                   uint8_t where = 2, uint64_t pc = 0, uint64_t site = 0);
  LogWriter& signal(uint64_t epoch, uint8_t signal, uint8_t where, uint64_t site = 0);
  LogWriter& smashed(uint64_t epoch, uint32_t id);
  LogWriter& thread(uint32_t thread);
  LogWriter& switchTo(uint64_t epoch, uint32_t thread, uint64_t site);
  LogWriter& module(uint64_t hash, uint32_t base, uint32_t instructions, std::span<const uint64_t> symbols);
  LogWriter& module(uint64_t hash, uint32_t base, uint32_t instructions,
                    std::initializer_list<uint64_t> symbols) {
    return module(hash, base, instructions, std::span(symbols.begin(), symbols.size()));
  }
  LogWriter& fork(uint32_t pid);
  LogWriter& exit(uint64_t epoch, uint32_t status, uint64_t site = 0);
  LogWriter& exec(uint64_t epoch, uint64_t site = 0);
  // Pairs of address and hash.
  LogWriter& final(std::span<const uint64_t> pages);
  LogWriter& final(std::initializer_list<uint64_t> pages) {
    return final(std::span(pages.begin(), pages.size()));
  }

  // What follows goes into a new chunk.
  LogWriter& nextChunk();
  std::vector<std::vector<uint8_t>> chunks() const;
  std::shared_ptr<const LogSource> source() const;

private:
  std::vector<uint8_t>& out() { return chunks_.back(); }
  void tag(uint8_t tag) { out().push_back(tag); }
  void tagAt(uint8_t tag, uint64_t epoch);
  void uleb(uint64_t value);
  void fixed(uint64_t value, unsigned size);
  void bytes(std::string_view bytes);
  void words(std::span<const uint64_t> words);

  std::vector<std::vector<uint8_t>> chunks_{1};
  uint64_t epoch_ = 0;
};

} // namespace faultline::recording
