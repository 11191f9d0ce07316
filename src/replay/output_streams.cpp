#include "replay/output_streams.h"

#include <algorithm>

namespace faultline::replay {
namespace {

constexpr std::string_view kSync = "_ZNSt8ios_base15sync_with_stdioEb";
constexpr uint64_t kStdoutQueue = 1, kCoutQueue = 2; // no FILE lies there

uint64_t wordAt(const MemoryView& memory, uint64_t address) {
  uint64_t value = 0;
  if (address) memory.read(address, {reinterpret_cast<uint8_t*>(&value), sizeof value});
  return value;
}

uint64_t word(const VariableArguments& arguments, size_t number) {
  const uint64_t* words = arguments(number);
  return words ? *words : 0;
}

} // namespace

bool OutputStreams::changesStreams(std::string_view name) {
  constexpr std::string_view kNames[] = {"dup",       "dup2",  "dup3",   "fdopen",  "fopen", "fopen64",
                                         "freopen64", "close", "fclose", "freopen", kSync};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

void OutputStreams::onCall(std::string_view name, const VariableArguments& arguments) {
  uint64_t first = word(arguments, 0);
  if (name == "dup2" || name == "dup3") {
    fds_[uint32_t(word(arguments, 1))] = streamOfFd(first);
  } else if (name == "close") {
    fds_[uint32_t(first)] = 0;
  } else if (name == kSync) {
    ownBuffer_ = (first & 1) == 0;
  } else if (name == "fclose") {
    files_.erase(first);
  } else if (name.starts_with("freopen")) {
    refreshSymbols();
    uint64_t file = word(arguments, 2);
    if (file && file == wordAt(memory_, stdout_)) isReopened_[1] = true;
    if (file && file == wordAt(memory_, stderr_)) isReopened_[2] = true;
  }
}

void OutputStreams::onReturn(std::string_view name, const VariableArguments& arguments, uint64_t result) {
  if (name == "dup") {
    fds_[uint32_t(result)] = streamOfFd(word(arguments, 0));
  } else if (name == "fdopen" && result) {
    files_[result] = uint32_t(word(arguments, 0));
  } else if (name.starts_with("fopen") && result) {
    std::string path;
    readText(memory_, word(arguments, 0), 64, path);
    if (path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1") files_[result] = 1;
    if (path == "/dev/stderr" || path == "/dev/fd/2" || path == "/proc/self/fd/2") files_[result] = 2;
  }
}

uint32_t OutputStreams::streamOfFd(uint64_t fd) const {
  auto it = fds_.find(uint32_t(fd));
  return it == fds_.end() ? 0 : it->second;
}

std::optional<OutputTarget> OutputStreams::unbuffered(uint64_t fd) const {
  uint32_t stream = streamOfFd(fd);
  if (!stream) return std::nullopt;
  return OutputTarget{stream, 0};
}

// stdout or stderr. The latter has no buffer.
std::optional<OutputTarget> OutputStreams::standard(uint32_t stream) const {
  uint32_t real = streamOfFd(stream);
  if (isReopened_[stream] || !real) return std::nullopt;
  return OutputTarget{real, stream == 1 ? kStdoutQueue : 0};
}

std::optional<OutputTarget> OutputStreams::ofFile(uint64_t file) {
  refreshSymbols();
  if (!file) return std::nullopt;
  if (file == wordAt(memory_, stdout_)) return standard(1);
  if (file == wordAt(memory_, stderr_)) return standard(2);
  auto it = files_.find(file);
  if (it == files_.end() || !streamOfFd(it->second)) return std::nullopt;
  return OutputTarget{streamOfFd(it->second), file};
}

std::optional<OutputTarget> OutputStreams::ofOstream(uint64_t ostream) {
  refreshSymbols();
  if (!ostream || (ostream != cout_ && ostream != cerr_ && ostream != clog_)) return std::nullopt;
  uint32_t stream = ostream == cout_ ? 1 : 2;
  if (!ownBuffer_) return standard(stream);
  auto target = unbuffered(stream);
  if (target && ostream != cerr_) target->queue = kCoutQueue;
  return target;
}

std::optional<OutputTarget> OutputStreams::targetOf(const OutputFunction& function,
                                                    const VariableArguments& arguments) {
  switch (function.target) {
  case OutputFunction::Output:
    return standard(1);
  case OutputFunction::Errors:
    return standard(2);
  case OutputFunction::Fd:
    return unbuffered(word(arguments, function.to));
  case OutputFunction::File:
    return ofFile(word(arguments, function.to));
  case OutputFunction::Ostream:
    return ofOstream(word(arguments, function.to));
  }
  return std::nullopt;
}

void OutputStreams::refreshSymbols() {
  for (; modules_ < symbols_.moduleCount(); ++modules_) {
    const fir::Image& image = symbols_.image(modules_);
    for (uint32_t k = 0; k < image.symbols.size(); ++k) {
      std::string_view name = image.string(image.symbols[k].name);
      uint64_t* slot = name == "stdout"      ? &stdout_
                       : name == "stderr"    ? &stderr_
                       : name == "_ZSt4cout" ? &cout_
                       : name == "_ZSt4cerr" ? &cerr_
                       : name == "_ZSt4clog" ? &clog_
                                             : nullptr;
      if (uint64_t address = slot ? symbols_.address(modules_, k) : 0) *slot = address;
    }
  }
}

} // namespace faultline::replay
