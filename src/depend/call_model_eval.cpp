#include "depend/call_model_eval.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace faultline::depend {
namespace {

constexpr uint64_t kLowestPointer = 4096, kHighestPointer = uint64_t(1) << 47;
constexpr uint64_t kMost = uint64_t(1) << 40; // no call writes more: it is a negative number, or nonsense
constexpr uint64_t kSeenGap = 4096;           // between two pieces of what was seen, if they are one target's

bool isReadable(const replay::MemoryView& memory, uint64_t address) {
  uint8_t byte;
  return address >= kLowestPointer && address < kHighestPointer && memory.read(address, {&byte, 1});
}

// What someone who has this pointer is likely to look at: the text that is there, else a few bytes.
uint64_t pointedBytes(const replay::MemoryView& memory, uint64_t address) {
  if (!isReadable(memory, address)) return 0;
  std::string text;
  bool ends = replay::readText(memory, address, kLongestText, text);
  auto isText = [](char c) {
    return std::isprint(uint8_t(c)) || std::isspace(uint8_t(c)) || uint8_t(c) >= 0x80;
  };
  if (ends && text.size() > 1 && std::all_of(text.begin(), text.end(), isText)) return text.size() + 1;
  uint8_t bytes[kBlackBoxReads];
  if (memory.read(address, bytes)) return kBlackBoxReads;
  return std::min<uint64_t>(kBlackBoxReads, 4096 - address % 4096);
}

std::vector<FlowSource> pointeesOf(const replay::MemoryView& memory, const std::vector<uint64_t>& arguments) {
  std::vector<FlowSource> out;
  for (uint64_t value : arguments)
    if (uint64_t size = pointedBytes(memory, value))
      addSource(out, {.kind = FlowSource::Memory, .address = value, .size = size});
  return out;
}

bool needsPointees(const CallModel* model) {
  if (!model) return true;
  for (const ModelClause& clause : model->clauses)
    for (const ModelTerm& term : clause.terms)
      if (term.kind == ModelTerm::Arguments) return true;
  return false;
}

// What such a call is seen to have changed was there before, and nobody of ours had looked at it.
bool onlyReads(const CallModel& model) {
  return std::ranges::all_of(model.clauses, [](const ModelClause& c) {
    return c.kind == ModelClause::Counts || (c.kind == ModelClause::Flow && c.toResult);
  });
}

// Output is frequent, and %n is not: formats without one need not be taken apart.
bool isWanted(const CallModel& model, const ModelClause& clause, const CallState& state, uint64_t format) {
  if (clause.toResult) return state.resultUsed || model.prints;
  if (clause.kind != ModelClause::Counts) return true;
  std::string text;
  replay::readText(*state.memory, format, kLongestText, text);
  for (size_t at = text.find('n'); at != text.npos; at = text.find('n', at + 1))
    if (at > 0 && std::strchr("%hljztq$0123456789", text[at - 1]) && text.rfind('%', at) != text.npos)
      return true;
  return false;
}

std::optional<uint32_t> argumentOf(const CallModel& model, uint32_t node) {
  if (node == kNoNode || model.nodes[node].kind != ModelNode::Argument) return std::nullopt;
  return uint32_t(model.nodes[node].value);
}

} // namespace

ModelledCall::ModelledCall(const CallModel* model, const CallState& state) : model_(model) {
  for (uint32_t k = 0; k < state.argumentCount; ++k) {
    const uint64_t* words = state.words(k);
    arguments_.push_back(words ? *words : 0);
  }
  if (needsPointees(model)) pointees_ = pointeesOf(*state.memory, arguments_);
  if (!model) return;
  nodes_.begin(*model, state);
  clauses_.resize(model->clauses.size());
  for (size_t k = 0; k < clauses_.size(); ++k) {
    const ModelClause& clause = model->clauses[k];
    if (clause.terms.empty()) continue;
    const ModelTerm& term = clause.terms[0];
    if (clause.kind == ModelClause::Scan) {
      std::optional<uint64_t> text;
      if (term.kind != ModelTerm::Input) text = nodes_[term.address].value_or(0);
      clauses_[k].scan.emplace(state, text, nodes_[clause.address].value_or(0), model->parameters,
                               argumentOf(*model, term.list));
    } else if (term.kind == ModelTerm::Format &&
               isWanted(*model, clause, state, nodes_[term.address].value_or(0))) {
      clauses_[k].format.emplace(state, nodes_[term.address].value_or(0), model->parameters,
                                 argumentOf(*model, term.list));
    }
  }
}

void ModelledCall::finish(const CallState& state, const CallReturn& end, OutsideEffect& out) {
  state_ = &state, end_ = &end, out_ = &out;
  out.isModelled = model_ != nullptr;
  out.mayNotReturn = !end.returned || (model_ && model_->mayNotReturn);
  if (!model_) return blackBox();
  nodes_.finish(*model_, state, end.result, onlyReads(*model_) && !end.written.empty());
  for (size_t k = 0; k < clauses_.size(); ++k) {
    const ModelClause& clause = model_->clauses[k];
    if (clause.kind == ModelClause::Scan)
      scan(clause, *clauses_[k].scan);
    else if (clause.kind == ModelClause::Flow && !clause.toResult)
      flow(clause, clauses_[k]);
    else if (clause.kind == ModelClause::Counts && clauses_[k].format)
      for (OutsideFlow& flow : clauses_[k].format->counts()) addFlow(std::move(flow));
  }
  out.inputBytes = inputBytes();
  for (size_t k = 0; k < clauses_.size(); ++k)
    if (model_->clauses[k].toResult) flow(model_->clauses[k], clauses_[k]);
  remember();
  coverSeen();
  if (result_) addFlow(std::move(*result_));
}

void ModelledCall::remember() {
  for (const ModelClause& clause : model_->clauses) {
    if (clause.kind != ModelClause::Remember || !state_->remember) continue;
    Value holds = clause.condition == kNoNode ? Value(1) : nodes_[clause.condition];
    Value object = nodes_[clause.address], data = nodes_[clause.size];
    if (holds && *holds && object && data) state_->remember(*object, *data);
  }
}

uint64_t ModelledCall::inputBytes() const {
  for (const ModelClause& clause : model_->clauses) {
    if (clause.kind != ModelClause::Takes) continue;
    Value holds = clause.condition == kNoNode ? Value(1) : nodes_[clause.condition];
    if (holds && !*holds) continue;
    Value size = holds ? nodes_[clause.size] : std::nullopt;
    return size ? (*size < kMost ? *size : 0) : inputTaken_ ? inputTaken_ : kAllInput;
  }
  return inputTaken_;
}

void ModelledCall::flow(const ModelClause& clause, const ClauseState& at) {
  Value holds = clause.condition == kNoNode ? Value(1) : nodes_[clause.condition];
  if (holds && !*holds) return;
  if (clause.toResult) {
    if ((end_->resultSize || model_->prints) && holds) flowToResult(clause, at);
    return;
  }
  flowToMemory(clause, at, holds.has_value());
}

void ModelledCall::flowToResult(const ModelClause& clause, const ClauseState& at) {
  if (!result_)
    result_ = OutsideFlow{.toResult = true, .size = end_->resultSize, .isBytewise = clause.isBytewise};
  result_->isBytewise &= clause.isBytewise;
  for (FlowSource source : sourcesOf(clause, at)) {
    if (clause.isBytewise && source.kind == FlowSource::Argument) source.size = end_->resultSize;
    addSource(result_->sources, source);
  }
  if (result_->sources.size() > 1) result_->isBytewise = false;
  if (result_->isBytewise && (result_->sources.empty() || result_->sources[0].size != result_->size))
    result_->isBytewise = false;
}

void ModelledCall::flowToMemory(const ModelClause& clause, const ClauseState& at, bool isCertain) {
  Value address = nodes_[clause.address];
  if (!address) return void(out_->isPartial = true);
  if (*address == 0) return; // nobody wants it
  if (at.format) {
    Value total = end_->result && int64_t(*end_->result) >= 0 ? end_->result : std::nullopt;
    Value limit = clause.size == kNoNode ? Value(kMost) : nodes_[clause.size];
    for (OutsideFlow& flow : at.format->flows(*state_->memory, *address, limit.value_or(kMost), total))
      addFlow(std::move(flow));
    for (OutsideFlow& flow : at.format->counts()) addFlow(std::move(flow));
    return;
  }
  const ModelTerm* first = clause.terms.empty() ? nullptr : &clause.terms[0];
  bool isOpen = clause.size != kNoNode && model_->nodes[clause.size].kind == ModelNode::Unknown;
  Value size = nodes_[clause.size];
  if (clause.isBytewise && first->size != kNoNode) {
    Value other = nodes_[first->size];
    size = clause.size == kNoNode ? other
           : size && other        ? Value(std::min(*size, *other))
           : size                 ? size
                                  : other;
  }
  if (isOpen) size = kReach;
  bool isSizeSeen = !size;
  if (!size) size = seenSize(*address);
  if (!size || *size == 0 || *size > kMost) return;
  OutsideFlow flow{.address = *address, .size = *size, .isBytewise = clause.isBytewise && !isOpen};
  flow.isSizeSeen = isSizeSeen;
  flow.ifNoticed = clause.ifNoticed || (!isCertain && !isSeen(*address, *size));
  if (clause.isBytewise && first->kind == ModelTerm::Memory) {
    Value from = nodes_[first->address];
    if (!from) return void(out_->isPartial = true);
    flow.sources = {{.kind = FlowSource::Memory, .address = *from, .size = *size}};
  } else if (clause.isBytewise && first->kind == ModelTerm::Input) {
    flow.sources = {{.kind = FlowSource::Input, .address = inputTaken_, .size = isOpen ? kAllInput : *size}};
    inputTaken_ = isOpen ? kAllInput : inputTaken_ + *size;
  } else {
    flow.sources = sourcesOf(clause, at);
    flow.isBytewise = false;
  }
  addFlow(std::move(flow));
}

void ModelledCall::scan(const ModelClause& clause, const ScannedText& scan) {
  Value holds = clause.condition == kNoNode ? Value(1) : nodes_[clause.condition];
  if (holds && !*holds) return;
  std::optional<int64_t> stored;
  if (end_->result) stored = int64_t(*end_->result);
  for (OutsideFlow& flow : scan.flows(stored)) addFlow(std::move(flow));
  if (clause.terms[0].kind == ModelTerm::Input) inputTaken_ = kAllInput;
  if (!end_->resultSize) return;
  if (!result_) result_ = OutsideFlow{.toResult = true, .size = end_->resultSize};
  for (const FlowSource& source : scan.sources()) addSource(result_->sources, source);
}

std::vector<FlowSource> ModelledCall::sourcesOf(const ModelClause& clause, const ClauseState& at) {
  std::vector<FlowSource> out;
  for (const ModelTerm& term : clause.terms) {
    switch (term.kind) {
    case ModelTerm::Argument:
      if (term.argument < arguments_.size())
        addSource(out, {.kind = FlowSource::Argument, .argument = term.argument});
      break;
    case ModelTerm::Memory: {
      Value address = nodes_[term.address];
      Value size = term.size == kNoNode ? Value(clause.toResult ? end_->resultSize : 0) : nodes_[term.size];
      if (!address) {
        out_->isPartial = true;
        break;
      }
      if (*address == 0) break;
      if (!size) size = pointedBytes(*state_->memory, *address);
      if (*size && *size < kMost)
        addSource(out, {.kind = FlowSource::Memory, .address = *address, .size = *size});
      break;
    }
    case ModelTerm::Input: {
      uint64_t all = out_->inputBytes ? out_->inputBytes : inputTaken_;
      Value size = term.size == kNoNode ? Value(std::max<uint64_t>(all, 1)) : nodes_[term.size];
      addSource(out, {.kind = FlowSource::Input, .size = size.value_or(kAllInput)});
      break;
    }
    case ModelTerm::World:
      addSource(out, {.kind = FlowSource::World});
      break;
    case ModelTerm::Arguments:
      for (const FlowSource& source : argumentsAndPointees()) addSource(out, source);
      break;
    case ModelTerm::Format:
      if (at.format)
        for (const FlowSource& source : at.format->sources()) addSource(out, source);
      break;
    }
  }
  return out;
}

// How far from there on the call was seen to have written.
ModelledCall::Value ModelledCall::seenSize(uint64_t address) const {
  std::vector<AddressRange> pieces(end_->written.begin(), end_->written.end());
  std::sort(pieces.begin(), pieces.end(), [](auto& a, auto& b) { return a.address < b.address; });
  uint64_t end = address;
  for (const AddressRange& piece : pieces)
    if (piece.address + piece.size > end && piece.address < end + kSeenGap) end = piece.address + piece.size;
  return end == address ? std::nullopt : Value(end - address);
}

bool ModelledCall::isSeen(uint64_t address, uint64_t size) const {
  for (const AddressRange& piece : end_->written)
    if (piece.address < address + size && address < piece.address + piece.size) return true;
  return false;
}

void ModelledCall::addFlow(OutsideFlow flow) {
  if (flow.toResult || flow.size) out_->flows.push_back(std::move(flow));
}

std::vector<FlowSource> ModelledCall::argumentsAndPointees() const {
  std::vector<FlowSource> out;
  for (uint32_t k = 0; k < arguments_.size(); ++k)
    out.push_back({.kind = FlowSource::Argument, .argument = k});
  bool isAtBegin = needsPointees(model_);
  for (const FlowSource& source : isAtBegin ? pointees_ : pointeesOf(*state_->memory, arguments_))
    addSource(out, source);
  return out;
}

// Whatever it wrote and gave back is made of its arguments and of what they point to.
void ModelledCall::blackBox() {
  std::vector<FlowSource> sources = argumentsAndPointees();
  for (const AddressRange& piece : end_->written)
    addFlow({.address = piece.address, .size = piece.size, .sources = sources});
  for (uint64_t value : arguments_)
    if (isReadable(*state_->memory, value))
      addFlow({.address = value, .size = kReach, .ifNoticed = true, .sources = sources});
  if (end_->resultSize) addFlow({.toResult = true, .size = end_->resultSize, .sources = sources});
}

// What was seen to have been written, and no clause speaks of. A copy went further than the model says where
// replay's memory is behind the program's (a string that no code of ours has looked at).
void ModelledCall::coverSeen() {
  if (onlyReads(*model_)) {
    for (const AddressRange& piece : end_->written)
      addFlow({.address = piece.address,
               .size = piece.size,
               .isBytewise = true,
               .sources = {{.kind = FlowSource::Memory, .address = piece.address, .size = piece.size}}});
    return;
  }
  for (const AddressRange& piece : end_->written) {
    std::vector<AddressRange> rest = {piece};
    for (const OutsideFlow& flow : out_->flows) {
      if (flow.toResult || flow.ifNoticed) continue;
      std::vector<AddressRange> left;
      for (const AddressRange& r : rest) {
        uint64_t end = r.address + r.size, flowEnd = flow.address + flow.size;
        if (r.address < std::min(end, flow.address))
          left.push_back({r.address, std::min(end, flow.address) - r.address});
        if (std::max(r.address, flowEnd) < end)
          left.push_back({std::max(r.address, flowEnd), end - std::max(r.address, flowEnd)});
      }
      rest = std::move(left);
    }
    for (const AddressRange& r : rest)
      if (!extend(r))
        addFlow(
            {.address = r.address, .size = r.size, .isSizeSeen = true, .sources = argumentsAndPointees()});
  }
}

bool ModelledCall::extend(const AddressRange& rest) {
  constexpr uint64_t kGap = 64; // bytes that were the same before
  for (OutsideFlow& flow : out_->flows) {
    uint64_t end = flow.address + flow.size;
    if (flow.toResult || flow.ifNoticed || !flow.isBytewise || rest.address < end ||
        rest.address - end > kGap)
      continue;
    flow.size = rest.address + rest.size - flow.address;
    flow.sources[0].size = flow.size;
    flow.isSizeSeen = true;
    return true;
  }
  return false;
}

} // namespace faultline::depend
