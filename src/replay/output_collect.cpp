// Gathers the output calls of a run (output_map.h).
#include "replay/output_map.h"

#include "abi/models.h"
#include "replay/call_view.h"
#include "replay/output_streams.h"

#include <unordered_map>

namespace faultline::replay {
namespace {

constexpr uint64_t kMargin = 65536; // bytes before the interesting one whose calls are kept

VariableArguments argumentsOf(const CallSite& site, const uint64_t* words, size_t first = 0) {
  return [&site, words, first](size_t n) -> const uint64_t* {
    return first + n < site.arguments.size() ? site.arguments[first + n].at(words) : nullptr;
  };
}

// How many variable arguments va_arg has taken from the list that this function has made: its offsets have
// moved on from where va_start puts them. Nothing if the registers' share is used up: then nobody knows.
std::optional<size_t> takenFrom(uint64_t list, const DecodedFunction& function, const MemoryView& memory) {
  const fir::Image& image = *function.module->image;
  uint32_t general = 0, floating = 0, offsets[2] = {};
  for (const fir::Argument& a : image.argumentsOf(*function.fir)) {
    fir::TypeKind kind = image.types[a.type].kind;
    if (kind == fir::TypeKind::Float || kind == fir::TypeKind::Double)
      ++floating;
    else if (kind != fir::TypeKind::X87 && a.byValueSize == 0)
      ++general;
  }
  if (!memory.read(list, {reinterpret_cast<uint8_t*>(offsets), sizeof offsets})) return std::nullopt;
  uint32_t generalNow = offsets[0] / 8, floatingNow = (offsets[1] - 48) / 16;
  general = std::min(general, 6u), floating = std::min(floating, 8u);
  if (offsets[0] > 48 || offsets[1] > 176 || generalNow < general || floatingNow < floating)
    return std::nullopt;
  return (generalNow - general) + (floatingNow - floating);
}

// Variable arguments lie on the machine's stack, which the replay does not know. But the innermost function
// with "..." has made the list, and the words of its caller still hold what that passed.
ListArguments argumentsOfList(const Engine& engine, const MemoryView& memory, uint64_t list) {
  const Thread& thread = engine.thread();
  for (size_t k = thread.depth; k-- > 1;) {
    const Frame& frame = thread.frames.data[k];
    if (!(frame.function->fir->flags & fir::kVariadic)) continue;
    const Frame& caller = thread.frames.data[k - 1];
    auto taken = takenFrom(list, *frame.function, memory);
    if (frame.kind != Frame::Called || !caller.site || !taken) return {};
    size_t first = frame.function->fir->argumentCount + *taken;
    return {argumentsOf(*caller.site, thread.words.data + caller.words, first), uint32_t(thread.depth - k),
            uint32_t(first + 1)};
  }
  return {};
}

OutputArguments outputArguments(const Engine& engine, const MemoryView& memory, const SymbolView& symbols,
                                const Manipulators& manipulators, VariableArguments words) {
  OutputArguments out;
  out.words = std::move(words);
  out.memory = &memory;
  out.list = [&](uint64_t list) { return argumentsOfList(engine, memory, list); };
  out.ostream = [&](uint64_t stream) { return manipulators.stateOf(memory, stream); };
  out.nameOf = [&](uint64_t address) {
    auto found = symbolAt(symbols, address);
    if (!found) return std::string();
    const fir::Image& image = symbols.image(found->module);
    return std::string(image.string(image.symbols[found->symbol].name));
  };
  return out;
}

class Collector : public OutsideListener {
public:
  Collector(Replay& replay, const CapturedOutput& captured)
      : memory_(replay.memoryView()), symbols_(replay.symbolView()), captured_(captured),
        streams_(memory_, symbols_) {
    c_.specs.emplace_back();
  }

  void onOutsideCall(const OutsideCall& call) override {
    Callee& callee = calleeOf(call);
    if (!callee.function && !callee.changesStreams && !callee.manipulator) return;
    VariableArguments words = argumentsOf(call.site, call.words);
    if (callee.manipulator && words(1)) return manipulators_.onCall(callee.manipulator, *words(0), *words(1));
    if (callee.changesStreams) return streams_.onCall(callee.name, words);
    if (!callee.function) return;
    auto target = streams_.targetOf(*callee.function, words);
    if (!target) return;
    if (call.site.info->model < FL_MODEL_COUNT)
      waiting_[call.engine.current().thread] = {call.engine.current(), *target};
    else
      take(call, callee, *target, words, call.engine.current());
  }
  // Where the call has a model, what it has read is known now (abi/models.h).
  void onOutsideReturn(const OutsideCall& call, std::span<const uint64_t> result) override {
    Callee& callee = calleeOf(call);
    if (callee.changesStreams && !result.empty())
      streams_.onReturn(callee.name, argumentsOf(call.site, call.words), result[0]);
    if (!callee.function || call.site.info->model >= FL_MODEL_COUNT) return;
    auto waiting = waiting_.find(call.engine.current().thread);
    if (waiting == waiting_.end()) return;
    take(call, callee, waiting->second.target, argumentsOf(call.site, call.words), waiting->second.at);
    waiting_.erase(waiting);
  }

  OutputMap::Collected take() { return std::move(c_); }

private:
  struct Callee {
    std::string name;
    const OutputFunction* function = nullptr;
    bool changesStreams = false;
    const char* manipulator = nullptr;
    uint32_t number = kNoField; // in `names`, once it is there
  };

  Callee& calleeOf(const OutsideCall& call) {
    uint32_t symbol = call.site.info->symbol;
    if (symbol == fir::kNone) return byAddress(call.site.callee.value(call.words));
    auto [it, isNew] = bySite_.try_emplace(&call.site);
    if (isNew) {
      const fir::Image& image = *call.site.function->module->image;
      it->second = describe(std::string(image.string(image.symbols[symbol].name)));
    }
    return it->second;
  }

  Callee& byAddress(uint64_t address) {
    auto [it, isNew] = byAddress_.try_emplace(address);
    auto found = isNew ? symbolAt(symbols_, address) : std::nullopt;
    if (found) {
      const fir::Image& image = symbols_.image(found->module);
      it->second = describe(std::string(image.string(image.symbols[found->symbol].name)));
    }
    return it->second;
  }

  static Callee describe(std::string name) {
    Callee out;
    out.function = outputFunction(name);
    out.changesStreams = OutputStreams::changesStreams(name);
    out.manipulator = Manipulators::kindOf(name);
    out.name = std::move(name);
    return out;
  }

  void take(const OutsideCall& call, Callee& callee, const OutputTarget& target,
            const VariableArguments& words, const Instance& at) {
    OutputArguments arguments = outputArguments(call.engine, memory_, symbols_, manipulators_, words);
    std::vector<OutputField> fields = outputFields(*callee.function, arguments);
    bool usesWidth =
        callee.function->kind == OutputFunction::Value || callee.function->kind == OutputFunction::Padded;
    if (usesWidth) manipulators_.onOutput(*words(callee.function->to));
    if (fields.empty() || isForgettable(target.stream, fields)) return;
    c_.isFull |= stored_ + fields.size() > captured_.mostFields;
    if (c_.isFull) return;
    stored_ += fields.size();
    if (callee.number == kNoField) {
      callee.number = uint32_t(c_.names.size());
      c_.names.push_back(callee.name);
    }
    c_.calls.push_back({{at.time, at.epoch, call.site.globalId(), at.thread}, callee.number});
    auto [it, isNew] = queues_.try_emplace(target, c_.queues.size());
    if (isNew) c_.queues.emplace_back().stream = target.stream;
    for (OutputField& field : fields) store(c_.queues[it->second], field);
  }

  // As long as all fits there is nothing to find out about bytes far before the interesting one.
  bool isForgettable(uint32_t stream, const std::vector<OutputField>& fields) {
    const std::string& written = stream == 1 ? captured_.output : captured_.errors;
    uint64_t interest = stream == 1 ? captured_.interest : written.size(), at = c_.start[stream];
    if (hasStored_[stream] || interest < kMargin) return hasStored_[stream] = true, false;
    for (const OutputField& field : fields) {
      bool fits = field.isKnown && std::string_view(written).substr(at).starts_with(field.text);
      if (!fits) return hasStored_[stream] = true, false;
      at += field.text.size();
    }
    if (at + kMargin > interest) return hasStored_[stream] = true, false;
    c_.start[stream] = at;
    return true;
  }

  void store(OutputQueue& queue, OutputField& field) {
    QueuedField out;
    out.begin = queue.text.size();
    out.length = uint32_t(field.text.size());
    out.call = uint32_t(c_.calls.size() - 1);
    out.argument = uint8_t(std::min(field.argument, 255u));
    out.frame = uint8_t(std::min(field.frame, 255u));
    out.isKnown = field.isKnown;
    auto [spec, isNew] = specs_.try_emplace(field.spec, uint16_t(c_.specs.size()));
    if (isNew && c_.specs.size() < 0xffff) c_.specs.push_back(field.spec);
    out.spec = spec->second < c_.specs.size() ? spec->second : 0;
    if (!field.others.empty()) {
      out.others = uint32_t(queue.others.size());
      queue.others.push_back(std::move(field.others));
    }
    queue.text += field.text;
    queue.fields.push_back(out);
  }

  // A call of which nobody knows yet what it prints.
  struct Waiting {
    Instance at;
    OutputTarget target;
  };

  const MemoryView& memory_;
  const SymbolView& symbols_;
  const CapturedOutput& captured_;
  std::map<uint32_t, Waiting> waiting_; // by thread
  OutputStreams streams_;
  Manipulators manipulators_;
  OutputMap::Collected c_;
  std::unordered_map<const CallSite*, Callee> bySite_;
  std::unordered_map<uint64_t, Callee> byAddress_;
  std::unordered_map<std::string, uint16_t> specs_ = {{"", 0}};
  std::map<OutputTarget, size_t> queues_;
  size_t stored_ = 0;
  bool hasStored_[3] = {};
};

} // namespace

Result<OutputMap> mapOutput(Replay& replay, const CapturedOutput& captured) {
  Collector collector(replay, captured);
  FL_CHECK(replay.runToEnd(collector));
  return OutputMap(collector.take(), captured);
}

std::vector<OutputField> outputFieldsHere(Replay& replay) {
  std::vector<FrameView> frames = replay.frames();
  if (frames.empty()) return {};
  auto call = CallView::of(frames[0], replay.memoryView(), replay.symbolView());
  const OutputFunction* function = call ? outputFunction(call->linkerName()) : nullptr;
  if (!function) return {};
  const Thread& thread = replay.engine().thread();
  const Frame& frame = thread.frames.data[thread.depth - 1];
  const DecodedFunction& decoded = *frame.function;
  const auto* site = static_cast<const CallSite*>(decoded.plain[thread.position].pointer);
  Manipulators none; // what came before is not known here
  return outputFields(*function, outputArguments(replay.engine(), replay.memoryView(), replay.symbolView(),
                                                 none, argumentsOf(*site, thread.words.data + frame.words)));
}

} // namespace faultline::replay
