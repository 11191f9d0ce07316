#include "technique/slice/slice.h"

#include "abi/state.h"
#include "depend/scanned_input.h"
#include "finding/describe_stop.h"
#include "replay/call_view.h"
#include "replay/symbol_name.h"
#include "technique/instance_text.h"

#include <algorithm>
#include <map>

namespace faultline::technique {

using depend::Leaf;
using depend::Node;
using depend::Slice;
using depend::Why;
using finding::Place;

namespace {

std::string_view relationName(Why why) {
  switch (why) {
  case Why::Criterion:
    return "criterion";
  case Why::Value:
    return "value";
  case Why::Address:
    return "address";
  case Why::Control:
    return "control";
  case Why::Call:
    return "call";
  case Why::Potential:
    return "potential";
  case Why::Callback:
    return "callback";
  case Why::Thrown:
    return "thrown";
  }
  return "";
}

bool sameStatement(const Place& a, const Place& b) {
  return a.file == b.file && a.line == b.line && a.function == b.function;
}

std::string lineText(const Place& from, const Place& to) {
  if (!to.isKnown()) return "code without a source line";
  if (from.file == to.file) return fmt::format("line {}", to.line);
  return fmt::format("{}:{}", to.file.substr(to.file.rfind('/') + 1), to.line);
}

// Instructions of a statement that say most about it come first.
int rankOf(const fir::Instruction& i) {
  switch (i.op) {
  case fir::Op::Store:
  case fir::Op::StoreVar:
  case fir::Op::Copy:
  case fir::Op::Fill:
    return 4;
  case fir::Op::CondBr:
  case fir::Op::Switch:
    return 3;
  case fir::Op::Ret:
    return 2;
  case fir::Op::Call:
    return 1;
  default:
    return 0;
  }
}

class Statements {
public:
  Statements(depend::History& history, const Slice& slice, std::string_view cwd, bool forward)
      : history_(history), slice_(slice), cwd_(cwd), forward_(forward) {}

  struct Group {
    finding::SliceStatement statement;
    uint32_t firstNode = depend::kNoConsumer; // closest to the criterion
    uint32_t bestNode = depend::kNoConsumer;
    int bestRank = -1;
  };

  void collect(const Slice* thin, uint64_t& unknown) {
    for (const auto& [id, count] : slice_.instructions) {
      const Place& place = placeOfId(id);
      if (!place.isKnown()) {
        ++unknown;
        continue;
      }
      Group& g = groups_[{place.file, place.line, place.function}];
      finding::SliceStatement& s = g.statement;
      if (s.instances == 0 || place.column < s.place.column) s.place = place;
      s.instances = std::max(s.instances, count.instances);
      s.isLibrary = finding::isLibraryFrame(place);
      if (thin && thin->instructions.contains(id)) s.isThin = true;
      if (count.node < g.firstNode) g.firstNode = count.node;
      depend::RunCode::Where at = history_.code().where(id);
      int rank = rankOf(at.module->image->instructions[at.local]);
      if (rank > g.bestRank || (rank == g.bestRank && count.node < g.bestNode)) {
        g.bestRank = rank;
        g.bestNode = count.node;
      }
    }
    for (auto& [key, group] : groups_) explain(group);
  }

  std::map<std::tuple<std::string, uint32_t, std::string>, Group>& groups() { return groups_; }

private:
  const Place& placeOfId(uint32_t id) {
    auto [it, added] = places_.try_emplace(id);
    if (added) it->second = placeOf(history_.code(), id, cwd_);
    return it->second;
  }

  // The first node on the way to the criterion that is another statement's.
  void explain(Group& g) {
    finding::SliceStatement& s = g.statement;
    const Node* node = &slice_.nodes[g.firstNode];
    s.time = slice_.nodes[g.bestNode].time;
    s.distance = g.firstNode;
    s.instance = fmt::format("@{}", s.time);
    while (node->consumer != depend::kNoConsumer && node->why != Why::Criterion) {
      const Node& consumer = slice_.nodes[node->consumer];
      if (consumer.id == 0) break; // input that was in memory
      const Place& used = placeOfId(consumer.id);
      if (!sameStatement(used, s.place)) {
        s.relation = relationName(node->why);
        s.why = forward_ ? forwardSentence(node->why, s.place, used) : sentence(node->why, s.place, used);
        s.usedAt = used;
        return;
      }
      node = &consumer;
    }
    s.relation = relationName(node->why);
    s.why = node->why == Why::Potential ? "decided otherwise, it might have changed what was used later"
            : forward_                  ? "takes the input in"
                                        : "the question starts here";
  }

  static std::string forwardSentence(Why why, const Place& here, const Place& from) {
    std::string line = lineText(here, from);
    switch (why) {
    case Why::Address:
      return fmt::format("uses the place that {} chose", line);
    case Why::Control:
      return fmt::format("is executed because of {}", line);
    default:
      return fmt::format("uses what {} made", line);
    }
  }

  static std::string sentence(Why why, const Place& here, const Place& used) {
    std::string line = lineText(here, used);
    switch (why) {
    case Why::Address:
      return fmt::format("finds the place that {} uses", line);
    case Why::Control:
      return fmt::format("decides whether {} is executed", line);
    case Why::Call:
      return fmt::format("calls {}(), where {} is", used.function, line);
    case Why::Potential:
      return fmt::format("decided otherwise, it might have changed what {} uses", line);
    case Why::Callback:
      return fmt::format("its result goes to the call in {}", line);
    case Why::Thrown:
      return fmt::format("makes the program go on at {}", line);
    default:
      return fmt::format("makes a value that {} uses", line);
    }
  }

  depend::History& history_;
  const Slice& slice_;
  std::string_view cwd_;
  bool forward_;
  std::unordered_map<uint32_t, Place> places_;
  std::map<std::tuple<std::string, uint32_t, std::string>, Group> groups_;
};

std::string bytesText(uint64_t from, uint64_t size) {
  if (size == depend::kAllInput) return from ? fmt::format("input from byte {} on", from) : "input";
  if (size == 1) return fmt::format("byte {}", from);
  return fmt::format("bytes {}-{}", from, from + size - 1);
}

std::string rangeText(const depend::Inputs& inputs, const depend::InputRange& range, uint64_t from,
                      uint64_t size) {
  std::string stream = inputs.streams()[range.stream].text();
  if (stream == "stdin") stream = "standard input";
  if (!range.offset || size == depend::kAllInput) return stream;
  return fmt::format("{} of {}", bytesText(*range.offset + from, size), stream);
}

std::string inputText(const depend::Inputs& inputs, uint64_t time, uint64_t from, uint64_t size) {
  auto range = inputs.at(time, from, size);
  return range ? rangeText(inputs, *range, 0, range->size.value_or(depend::kAllInput)) : "";
}

std::string memoryText(const depend::Inputs& inputs, uint64_t address, uint64_t size) {
  auto range = inputs.inMemory(address);
  return range ? rangeText(inputs, *range, 0, size) : "";
}

// What memory held before the program wrote to it.
std::pair<std::string, std::string> initialText(const replay::Replay& replay,
                                                const replay::ObjectNames& names, uint64_t address) {
  // Below this the frame stacks of all threads lie (abi/state.h): nothing is there before a function writes
  // it.
  constexpr uint64_t kMostThreads = 4096;
  if (address < FL_FRAME_STACK_ADDRESS &&
      FL_FRAME_STACK_ADDRESS - address < kMostThreads * FL_FRAME_STACK_STRIDE)
    return {"uninitialised", "local variables that nobody had written"};
  std::string name = names.brief(address);
  if (name.starts_with("&")) name = name.substr(1);
  // Of an array or a record as a whole: one line is enough.
  name = name.substr(0, name.find_first_of("[.+ "));
  if (!name.empty()) return {"initial", fmt::format("the initial value of {}", name)};
  if (auto symbol = replay::symbolAt(replay.symbolView(), address))
    return {"constant", "constants of the program"};
  for (const auto& module : replay.program().modules())
    for (size_t k = 0; k < module->addresses.size(); ++k) {
      const fir::Symbol& s = module->image->symbols[k];
      if (address - module->addresses[k] < std::max<uint64_t>(1, s.size) && s.flags & fir::kConstant)
        return {"constant", "constants of the program"};
    }
  return {"uninitialised", "memory that nobody had written"};
}

} // namespace

void fillStatements(depend::History& history, const Slice& slice, const Slice* thin,
                    finding::SliceReport& report) {
  Statements statements(history, slice, report.program.cwd, report.direction == "forward");
  statements.collect(thin, report.unknownLocations);
  // Values of those that a person reads first: the thin ones, then the ones closest to the question.
  std::vector<Statements::Group*> order;
  for (auto& [key, g] : statements.groups()) order.push_back(&g);
  std::sort(order.begin(), order.end(), [](auto* a, auto* b) {
    return std::tuple(a->statement.isLibrary, !a->statement.isThin, a->firstNode) <
           std::tuple(b->statement.isLibrary, !b->statement.isThin, b->firstNode);
  });
  constexpr size_t kMostValues = 60;
  if (order.size() > kMostValues) order.resize(kMostValues);
  std::sort(order.begin(), order.end(),
            [](auto* a, auto* b) { return a->statement.time < b->statement.time; });
  for (Statements::Group* g : order) {
    auto text = describeInstance(history.replay(), g->statement.time, slice.nodes[g->bestNode].id);
    if (!text) break;
    g->statement.value = text->value;
  }
  for (auto& [key, g] : statements.groups()) report.statements.push_back(std::move(g.statement));
}

std::vector<finding::SliceSource> describeSources(depend::History& history, const Slice& slice,
                                                  const depend::Inputs* inputs, std::string_view cwd) {
  const replay::Replay& replay = history.replay();
  std::optional<replay::ObjectNames> names; // of globals; made when the first one is met
  std::map<std::pair<std::string, std::string>, finding::SliceSource> found;
  auto add = [&](std::string kind, std::string text, Place place) {
    found.try_emplace({kind, text}, finding::SliceSource{kind, text, std::move(place)});
  };
  auto calleeAt = [&](uint32_t id) -> std::string {
    depend::RunCode::Where at = history.code().where(id);
    if (!at) return "a call";
    const fir::Image& image = *at.module->image;
    const fir::Instruction& i = image.instructions[at.local];
    if (i.op != fir::Op::Call || image.calls[i.aux].symbol == fir::kNone) return "a call";
    return replay::functionName(std::string(image.string(image.symbols[image.calls[i.aux].symbol].name))) +
           "()";
  };
  for (const Leaf& leaf : slice.leaves) {
    Place consumer;
    if (leaf.consumer < slice.nodes.size())
      consumer = placeOf(history.code(), slice.nodes[leaf.consumer].id, cwd);
    Place call = leaf.id ? placeOf(history.code(), leaf.id, cwd) : consumer;
    switch (leaf.kind) {
    case Leaf::Input: {
      uint64_t time = leaf.consumer < slice.nodes.size() ? slice.nodes[leaf.consumer].time : leaf.time;
      std::string text;
      if (inputs) text = inputText(*inputs, time, leaf.from, leaf.size);
      if (text.empty() && depend::isPiece(leaf.from))
        text = fmt::format("what conversion {} of {} read", depend::pieceNumber(leaf.from) + 1,
                           calleeAt(leaf.id));
      if (text.empty())
        text = fmt::format("{} of what {} read", bytesText(leaf.from, leaf.size), calleeAt(leaf.id));
      add("input", text, call);
      break;
    }
    case Leaf::World:
      add("world", fmt::format("the result of {}", calleeAt(leaf.id)), call);
      break;
    case Leaf::BlackBox:
      add("black-box", fmt::format("{}, of which no model is known", calleeAt(leaf.id)), call);
      break;
    case Leaf::Initial: {
      if (std::string text = inputs ? memoryText(*inputs, leaf.from, leaf.size) : ""; !text.empty()) {
        add("input", text, consumer);
        break;
      }
      if (!names) names.emplace(replay.symbolView(), std::vector<replay::FrameView>(), replay.memoryView());
      auto [kind, text] = initialText(replay, *names, leaf.from);
      add(kind, text, consumer);
      break;
    }
    case Leaf::ProgramStart:
      add("argument", leaf.from == 0 ? "argc" : "argv", consumer);
      break;
    case Leaf::SignalHandler:
      add("signal", "a signal", consumer);
      break;
    case Leaf::Unseen: {
      std::string text = inputs ? memoryText(*inputs, leaf.from, leaf.size) : "";
      if (!text.empty())
        add("input", text, consumer);
      else
        add("outside", "memory that code without IR wrote, unseen", consumer);
      break;
    }
    case Leaf::Stopped:
      add("stopped", fmt::format("what {} made", calleeAt(leaf.id)), call);
      break;
    }
  }
  std::vector<finding::SliceSource> out;
  for (auto& [key, source] : found) out.push_back(std::move(source));
  return out;
}

depend::Question valueOnly(depend::Question question) {
  if (!question.memory.empty() || !question.bits.empty()) question.operands.clear();
  return question;
}

std::vector<std::string> caveatsOf(const Slice& slice) {
  std::vector<std::string> out;
  if (slice.isBounded)
    out.push_back("the walk stopped early (--budget, --steps, or interrupted): there may be more");
  if (!slice.hasAllNodes)
    out.push_back(
        "the slice has more instances than are kept one by one: some reasons are those of an earlier "
        "instance of the same instruction");
  if (!slice.blackBoxes.empty()) {
    std::vector<std::string> names;
    for (auto& [name, count] : slice.blackBoxes)
      names.push_back(name.empty() ? "a call by pointer" : replay::functionName(name) + "()");
    std::sort(names.begin(), names.end());
    if (names.size() > 6) names.resize(6), names.push_back("...");
    out.push_back(
        fmt::format("no model is known of {}: taken to depend on their arguments and what they point to; "
                    "write one with --models FILE (docs/models.md)",
                    fmt::join(names, ", ")));
  }
  return out;
}

void addLateStart(const depend::History& history, std::vector<std::string>& caveats) {
  if (uint64_t start = history.replay().start())
    caveats.push_back(
        fmt::format("the recording has only the end of the run, from instruction {} on: what was made "
                    "before that is not known",
                    start));
}

// Of a statement only the instance closest to the criterion is shown: behind so many, counts are enough.
constexpr uint64_t kNodes = 200'000;

Result<finding::SliceReport> sliceBackward(depend::History& history, const SliceQuestion& question,
                                           const depend::Inputs* inputs) {
  finding::SliceReport report;
  report.program = question.program;
  report.question = question.text;
  depend::WalkOptions options;
  options.stepLimit = question.stepLimit;
  options.stopsAt = question.stopsAt;
  options.nodeLimit = kNodes;
  options.control = options.addresses = false;
  FL_TRY(thin, depend::sliceBackward(history, valueOnly(question.from), options));
  Slice whole;
  bool more = question.control || question.addresses || question.alternatives;
  if (more) {
    options.control = question.control;
    options.addresses = question.addresses;
    FL_TRY(found, depend::sliceBackward(history, question.from, options, question.alternatives));
    whole = std::move(found);
  }
  const Slice& slice = more ? whole : thin;
  report.start = placeOf(history.code(), slice.nodes[0].id, question.program.cwd);
  fillStatements(history, slice, &thin, report);
  report.sources = describeSources(history, slice, inputs, question.program.cwd);
  report.caveats = caveatsOf(slice);
  addLateStart(history, report.caveats);
  uint64_t instances = 0;
  for (auto& [id, count] : slice.instructions) instances += count.instances;
  report.stats["walked"] = slice.walked;
  report.stats["instances"] = instances;
  report.stats["instructions"] = slice.instructions.size();
  report.stats["thin_instructions"] = thin.instructions.size();
  return report;
}

Result<finding::SliceReport> sliceForward(depend::History& history, const ForwardQuestion& question) {
  finding::SliceReport report;
  report.program = question.program;
  report.direction = "forward";
  report.question = question.text;
  depend::ForwardOptions options;
  options.control = question.control;
  options.addresses = question.addresses;
  FL_TRY(slice, depend::sliceForward(history, question.seeds, options));
  fillStatements(history, slice, nullptr, report);
  report.caveats = caveatsOf(slice);
  uint64_t instances = 0;
  for (auto& [id, count] : slice.instructions) instances += count.instances;
  report.stats["walked"] = slice.walked;
  report.stats["instances"] = instances;
  report.stats["instructions"] = slice.instructions.size();
  return report;
}

} // namespace faultline::technique
