// The pass over the run that finds its input (inputs.h).
#include "depend/inputs.h"
#include "depend/inputs_streams.h"

#include "depend/call_model_eval.h"
#include "depend/models.h"
#include "depend/outside_view.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace faultline::depend {

using replay::OutsideCall;

namespace {

size_t blanks(std::string_view text) {
  return size_t(std::find_if(text.begin(), text.end(), [](char c) { return !std::isspace(uint8_t(c)); }) -
                text.begin());
}

// How many bytes of the text a formatted extraction takes.
uint64_t extracted(InputFunction::Kind kind, std::string_view text) {
  if (kind == InputFunction::Byte) return std::min<size_t>(text.size(), 1);
  if (kind == InputFunction::Line) return std::min(text.find('\n'), text.size() - 1) + 1;
  size_t skipped = blanks(text);
  text = text.substr(skipped);
  if (kind == InputFunction::Character) return skipped + std::min<size_t>(text.size(), 1);
  size_t word = size_t(
      std::find_if(text.begin(), text.end(), [](char c) { return std::isspace(uint8_t(c)); }) - text.begin());
  if (kind == InputFunction::Word) return skipped + word;
  std::string copy(text.substr(0, std::min<size_t>(word, 4096)));
  char* end = copy.data();
  (void)std::strtod(copy.c_str(), &end);
  return skipped + size_t(end - copy.data());
}

} // namespace

class InputCollector : public replay::OutsideListener {
public:
  InputCollector(replay::Replay& replay, InputOptions options)
      : engine_(replay.engine()), memory_(replay.memoryView()), options_(std::move(options)),
        streams_(replay.memoryView(), replay.symbolView(), inputs_.streams_) {
    streams_.argumentAt = [this](uint64_t address) { return argumentAt(address); };
  }

  void onOutsideCall(const OutsideCall& call) override {
    findMain(call.engine);
    const std::string& name = names_.of(call);
    const Callee& callee = calleeOf(name);
    if (callee.changesStreams) streams_.onCall(name, arguments(call));
    if (!callee.function && !callee.isEnvironment) return;
    Pending& pending = pending_[{call.engine.runningThread(), call.engine.thread().depth}];
    pending = {.time = call.engine.current().time};
    EngineView view(call.engine);
    CallState state = callState(call, view);
    if (callee.model) pending.call = std::make_unique<ModelledCall>(callee.model, state);
    if (callee.isEnvironment) replay::readText(memory_, firstArgument(call), 4096, pending.variable);
  }

  void onOutsideReturn(const OutsideCall& call, std::span<const uint64_t> result) override {
    const std::string& name = names_.of(call);
    const Callee& callee = calleeOf(name);
    auto value = resultValue(call, result);
    if (callee.changesStreams) streams_.onReturn(name, arguments(call), value);
    if (name == "mmap" || name == "mmap64") mapped(call, value);
    if (!callee.function && !callee.isEnvironment) return;
    auto node = pending_.extract({call.engine.runningThread(), call.engine.thread().depth});
    if (node.empty()) return;
    if (callee.isEnvironment)
      environment(node.mapped(), value);
    else
      took(call, callee, node.mapped(), value, result.empty() ? 0 : resultBytes(call));
  }

  // Of a program that called nothing outside, or died before it did.
  void onReturnToOutside(const replay::Instance&) override { findMain(engine_); }

  Inputs take() {
    findMain(engine_);
    programArguments();
    environmentInMemory();
    return std::move(inputs_);
  }

private:
  struct Callee {
    const InputFunction* function = nullptr;
    const CallModel* model = nullptr;
    bool changesStreams = false, isEnvironment = false;
  };
  struct Pending {
    Time time = 0;
    std::unique_ptr<ModelledCall> call = {};
    std::string variable = {};
  };

  const Callee& calleeOf(const std::string& name) {
    auto [it, isNew] = callees_.try_emplace(&name);
    if (isNew)
      it->second = {inputFunction(name), CallModels::standard().find(name),
                    InputStreams::changesStreams(name), name == "getenv" || name == "secure_getenv"};
    return it->second;
  }
  static replay::VariableArguments arguments(const OutsideCall& call) {
    return [&call](size_t n) -> const uint64_t* {
      return n < call.site.arguments.size() ? call.site.arguments[n].at(call.words) : nullptr;
    };
  }
  static uint64_t firstArgument(const OutsideCall& call) {
    return call.site.arguments.empty() ? 0 : call.site.arguments[0].value(call.words);
  }

  void took(const OutsideCall& call, const Callee& callee, Pending& pending, std::optional<uint64_t> result,
            uint32_t resultSize) {
    const InputFunction& f = *callee.function;
    InputStreams::Position* position = streams_.positionOf(f, arguments(call));
    if (!position) return;
    EngineView view(call.engine);
    CallState state = callState(call, view);
    std::optional<uint64_t> size = sizeOf(f, *position, state, pending, result, resultSize);
    InputRange range{position->stream, position->offset, size, position->why, std::move(pieces_)};
    if (f.kind == InputFunction::At) {
      const uint64_t* offset = state.words(3);
      range.offset = offset ? std::optional(*offset) : std::nullopt;
    } else if (size && position->offset) {
      *position->offset += *size;
    } else if (!size) {
      position->offset.reset();
      position->why = "an earlier call took nobody knows how many bytes";
      if (range.why.empty()) range.why = "how many bytes the call took is not known";
    }
    inputs_.calls_[pending.time] = std::move(range);
  }

  // Of what the program takes from standard input the bytes may be known.
  std::optional<std::string_view> bytesAt(const InputStreams::Position& position) const {
    bool isKnown = inputs_.streams_[position.stream].kind == InputStream::StandardInput &&
                   options_.standardInput && position.offset &&
                   *position.offset <= options_.standardInput->size();
    if (!isKnown) return std::nullopt;
    return std::string_view(*options_.standardInput).substr(*position.offset);
  }

  std::optional<uint64_t> sizeOf(const InputFunction& f, const InputStreams::Position& position,
                                 const CallState& state, Pending& pending, std::optional<uint64_t> result,
                                 uint32_t resultSize) {
    pieces_.clear();
    if (f.kind == InputFunction::Model || f.kind == InputFunction::At) {
      if (!pending.call) return std::nullopt;
      OutsideEffect effect;
      pending.call->finish(state, {.result = result, .resultSize = resultSize}, effect);
      if (effect.inputBytes == kAllInput || (!result && !effect.inputBytes)) return std::nullopt;
      return effect.inputBytes;
    }
    auto bytes = bytesAt(position);
    if (!bytes && f.kind == InputFunction::Byte) return 1;
    if (!bytes) return std::nullopt;
    if (f.kind != InputFunction::Scan) return extracted(f.kind, *bytes);
    const uint64_t* format = state.words(f.format);
    if (!format) return std::nullopt;
    ScannedText scanned(state, *bytes, *format);
    pieces_ = scanned.pieces();
    return scanned.consumed();
  }

  void environment(Pending& pending, std::optional<uint64_t> result) {
    std::string text;
    if (!result || *result == 0) return;
    replay::readText(memory_, *result, 1 << 20, text);
    uint32_t stream = streams_.add({InputStream::Environment, pending.variable});
    inputs_.calls_[pending.time] = {stream, 0, text.size() + 1, ""};
    inputs_.memory_.push_back({*result, text.size() + 1, stream, 0});
  }

  void mapped(const OutsideCall& call, std::optional<uint64_t> result) {
    constexpr uint64_t kAnonymous = 0x20;
    auto words = arguments(call);
    if (!result || int64_t(*result) == -1 || !words(5) || (*words(3) & kAnonymous)) return;
    if (auto stream = streams_.streamOfFd(*words(4)))
      inputs_.memory_.push_back({*result, *words(1), *stream, *words(5)});
  }

  // main is the function of that name that outside code called; its frame has what it was given.
  void findMain(const replay::Engine& engine) {
    if (argv_ || engine.runningThread() != 0) return;
    const replay::Thread& thread = engine.thread();
    for (size_t k = 0; k < thread.depth; ++k) {
      const replay::Frame& frame = thread.frames.data[k];
      const fir::Image& image = *frame.function->module->image;
      if (frame.kind != replay::Frame::FromOutside || image.string(frame.function->fir->name) != "main")
        continue;
      auto given = image.argumentsOf(*frame.function->fir);
      if (given.size() < 2) return;
      const uint64_t* words = thread.words.data + frame.words;
      argc_ = uint32_t(words[given[0].word]);
      argv_ = words[given[1].word];
      return;
    }
  }

  std::string argumentAt(uint64_t address) const {
    for (uint64_t k = 0; argv_ && k < argc_ && k < options_.argv.size(); ++k) {
      uint64_t text = 0;
      if (memory_.read(argv_ + 8 * k, {reinterpret_cast<uint8_t*>(&text), 8}) && text == address && text)
        return options_.argv[k];
    }
    return "";
  }

  // The strings lie one behind the other in the order of argv. Where one is becomes known when the program
  // has loaded its pointer; the others follow from their lengths.
  void programArguments() {
    constexpr uint32_t kMost = 1 << 16;
    if (!argv_) return;
    size_t count =
        std::min<size_t>(std::min(argc_, kMost), options_.argv.empty() ? kMost : options_.argv.size());
    std::vector<uint64_t> texts(count);
    std::vector<uint64_t> sizes(count);
    for (size_t k = 0; k < count; ++k) {
      memory_.read(argv_ + 8 * k, {reinterpret_cast<uint8_t*>(&texts[k]), 8});
      std::string text;
      if (texts[k]) replay::readText(memory_, texts[k], 1 << 20, text);
      sizes[k] = options_.argv.empty() ? text.size() + 1 : options_.argv[k].size() + 1;
    }
    for (size_t k = 1; k + 1 < count; ++k)
      if (texts[k] && !texts[k + 1] && !options_.argv.empty()) texts[k + 1] = texts[k] + sizes[k];
    for (size_t k = count; k-- > 2;)
      if (texts[k] && !texts[k - 1] && !options_.argv.empty()) texts[k - 1] = texts[k] - sizes[k - 1];
    for (size_t k = 0; k < count; ++k) {
      if (!texts[k]) continue;
      uint32_t stream = streams_.add({InputStream::ProgramArgument, fmt::format("argv[{}]", k)});
      inputs_.memory_.push_back({texts[k], sizes[k], stream, 0});
    }
  }

  // Behind argv and its NULL stand the pointers to the environment. Those that the program has loaded are
  // known, and the strings that it has looked at.
  void environmentInMemory() {
    constexpr uint32_t kMost = 1 << 14;
    for (uint32_t k = 0; argv_ && k < kMost; ++k) {
      uint64_t text = 0;
      if (!memory_.read(argv_ + 8 * (uint64_t(argc_) + 1 + k), {reinterpret_cast<uint8_t*>(&text), 8}))
        return;
      std::string entry;
      if (!text || !replay::readText(memory_, text, 1 << 20, entry)) continue;
      size_t name = entry.find('=');
      if (name == 0 || name == entry.npos) continue;
      uint32_t stream = streams_.add({InputStream::Environment, entry.substr(0, name)});
      inputs_.memory_.push_back({text + name + 1, entry.size() - name, stream, 0});
    }
  }

  const replay::Engine& engine_;
  const replay::MemoryView& memory_;
  InputOptions options_;
  Inputs inputs_;
  InputStreams streams_;
  std::vector<std::pair<uint64_t, uint64_t>> pieces_; // of the scanf at hand
  CalleeNames names_;
  std::unordered_map<const std::string*, Callee> callees_; // by the name's own place
  std::map<std::pair<uint32_t, size_t>, Pending> pending_;
  uint64_t argv_ = 0;
  uint32_t argc_ = 0;
};

Result<Inputs> Inputs::of(replay::Replay& replay, InputOptions options) {
  InputCollector collector(replay, std::move(options));
  FL_CHECK(replay.runToEnd(collector));
  return collector.take();
}

} // namespace faultline::depend
