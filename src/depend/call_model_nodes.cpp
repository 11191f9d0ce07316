#include "depend/call_model_nodes.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace faultline::depend {
namespace {

using Value = ModelNodes::Value;
using replay::MemoryView;

constexpr uint64_t kLongest = uint64_t(1) << 24; // bytes that we are ready to look at
constexpr uint64_t kLongestNumber = 4096;

Value length(const MemoryView& memory, uint64_t address, uint64_t limit) {
  std::string text;
  if (address == 0 || !replay::readText(memory, address, std::min(limit, kLongest), text))
    return std::nullopt;
  return text.size();
}

// A part of memory, as far as it is wanted; read in pieces.
class Bytes {
public:
  Bytes(const MemoryView& memory, uint64_t address) : memory_(memory), address_(address) {}
  Value at(uint64_t index) {
    if (index < start_ || index >= start_ + count_) {
      start_ = index;
      count_ = std::min<uint64_t>(sizeof buffer_, 4096 - (address_ + index) % 4096);
      if (!memory_.read(address_ + start_, {buffer_, count_})) {
        count_ = 1;
        if (!memory_.read(address_ + start_, {buffer_, 1})) return count_ = 0, std::nullopt;
      }
    }
    return buffer_[index - start_];
  }

private:
  const MemoryView& memory_;
  uint64_t address_;
  uint64_t start_ = 0, count_ = 0;
  uint8_t buffer_[256];
};

// Bytes up to the first that differs, this one included.
Value difference(const MemoryView& memory, uint64_t a, uint64_t b, uint64_t limit, bool stopsAtNul,
                 bool ignoresCase) {
  if (a == 0 || b == 0) return std::nullopt;
  Bytes left(memory, a), right(memory, b);
  limit = std::min(limit, kLongest);
  for (uint64_t k = 0; k < limit; ++k) {
    Value x = left.at(k), y = right.at(k);
    if (!x || !y) return std::nullopt;
    bool differs = ignoresCase ? std::tolower(int(*x)) != std::tolower(int(*y)) : *x != *y;
    if (differs || (stopsAtNul && *x == 0)) return k + 1;
  }
  return limit;
}

Value span(const MemoryView& memory, uint64_t s, uint64_t setAt, bool wanted) {
  std::string set;
  if (s == 0 || setAt == 0 || !replay::readText(memory, setAt, kLongest, set)) return std::nullopt;
  Bytes bytes(memory, s);
  for (uint64_t k = 0; k < kLongest; ++k) {
    Value c = bytes.at(k);
    if (!c) return std::nullopt;
    if (*c == 0 || (set.find(char(*c)) != set.npos) != wanted) return k;
  }
  return std::nullopt;
}

// What a conversion looks at: the number and the byte behind it, which ends it.
Value numberLength(const MemoryView& memory, uint64_t address, std::optional<int> base) {
  std::string text;
  if (address == 0 || !replay::readText(memory, address, kLongestNumber, text)) return std::nullopt;
  char* end = text.data();
  if (base)
    (void)std::strtoull(text.c_str(), &end, *base);
  else
    (void)std::strtod(text.c_str(), &end);
  uint64_t used = uint64_t(end - text.data());
  // Nothing was converted: blanks, a sign and the byte that is no digit were looked at.
  if (used == 0) {
    while (used < text.size() && std::isspace(uint8_t(text[used]))) ++used;
    if (used < text.size() && (text[used] == '-' || text[used] == '+')) ++used;
  }
  return used + 1;
}

Value sumOfPieces(const MemoryView& memory, uint64_t address, uint64_t count) {
  uint64_t sum = 0;
  for (uint64_t k = 0; k < std::min<uint64_t>(count & 0xffffffff, 1024); ++k) {
    uint64_t piece[2];
    if (!memory.read(address + 16 * k, {reinterpret_cast<uint8_t*>(piece), sizeof piece}))
      return std::nullopt;
    sum += piece[1];
  }
  return sum;
}

template <class T> Value wordAt(const MemoryView& memory, uint64_t address) {
  T value;
  if (address == 0 || !memory.read(address, {reinterpret_cast<uint8_t*>(&value), sizeof value}))
    return std::nullopt;
  return value;
}

} // namespace

void ModelNodes::begin(const CallModel& model, const CallState& state) {
  values_.assign(model.nodes.size(), std::nullopt);
  for (size_t k = 0; k < model.nodes.size(); ++k)
    if (!model.nodes[k].isLate || model.nodes[k].kind == ModelNode::Argument)
      values_[k] = evaluate(model, model.nodes[k], state);
}

void ModelNodes::finish(const CallModel& model, const CallState& state, Value result, bool again) {
  result_ = result;
  for (size_t k = 0; k < model.nodes.size(); ++k)
    if ((model.nodes[k].isLate || again) && model.nodes[k].kind != ModelNode::Argument)
      values_[k] = evaluate(model, model.nodes[k], state);
}

Value ModelNodes::evaluate(const CallModel& model, const ModelNode& node, const CallState& state) const {
  if (node.kind == ModelNode::Number) return node.value;
  if (node.kind == ModelNode::Result) return result_;
  if (node.kind == ModelNode::Unknown) return std::nullopt;
  if (node.kind == ModelNode::Argument) {
    const uint64_t* words = state.words(node.value);
    return words ? Value(*words) : std::nullopt;
  }
  if (node.kind == ModelNode::Function) return function(model, node, state);
  Value a = (*this)[node.operands[0]], b = (*this)[node.operands[1]];
  // One side may decide alone.
  if (node.kind == ModelNode::And && ((a && !*a) || (b && !*b))) return 0;
  if (node.kind == ModelNode::Or && ((a && *a) || (b && *b))) return 1;
  if (!a || !b) return std::nullopt;
  switch (node.kind) {
  case ModelNode::Add:
    return *a + *b;
  case ModelNode::Subtract:
    return *a - *b;
  case ModelNode::Multiply:
    return *a * *b;
  case ModelNode::Equal:
    return *a == *b;
  case ModelNode::NotEqual:
    return *a != *b;
  case ModelNode::Less:
    return int64_t(*a) < int64_t(*b);
  case ModelNode::AtMost:
    return int64_t(*a) <= int64_t(*b);
  case ModelNode::And:
    return *a && *b;
  default:
    return *a || *b;
  }
}

Value ModelNodes::function(const CallModel& model, const ModelNode& node, const CallState& state) const {
  const MemoryView& memory = *state.memory;
  Value a = (*this)[node.operands[0]], b = (*this)[node.operands[1]], c = (*this)[node.operands[2]];
  for (uint32_t k = 0; k < 3; ++k)
    if (node.operands[k] != kNoNode && !(*this)[node.operands[k]]) return std::nullopt;
  switch (ModelFunction(node.function)) {
  case ModelFunction::Minimum:
    return std::min(*a, *b);
  case ModelFunction::Maximum:
    return std::max(*a, *b);
  case ModelFunction::Length:
    return length(memory, *a, b.value_or(kLongest));
  case ModelFunction::WithNul:
    if (Value n = length(memory, *a, kLongest)) return *n + 1;
    return std::nullopt;
  case ModelFunction::Word:
    return wordAt<uint64_t>(memory, *a);
  case ModelFunction::Word4:
    return wordAt<uint32_t>(memory, *a);
  case ModelFunction::Signed:
    return uint64_t(int64_t(int32_t(*a)));
  case ModelFunction::Difference:
    return difference(memory, *a, *b, *c, false, false);
  case ModelFunction::DifferenceZ:
    return difference(memory, *a, *b, c.value_or(kLongest), true, false);
  case ModelFunction::DifferenceI:
    return difference(memory, *a, *b, c.value_or(kLongest), true, true);
  case ModelFunction::Span:
    return span(memory, *a, *b, true);
  case ModelFunction::SpanNot:
    return span(memory, *a, *b, false);
  case ModelFunction::Integer:
    return numberLength(memory, *a, int(*b));
  case ModelFunction::Decimal:
    return numberLength(memory, *a, std::nullopt);
  case ModelFunction::BlockSize:
    return state.blockSize ? state.blockSize(*a) : std::nullopt;
  case ModelFunction::Global:
    return state.global ? state.global(model.globals[node.value]) : std::nullopt;
  case ModelFunction::Data:
    if (Value known = state.data ? state.data(*a) : std::nullopt) return known;
    return wordAt<uint64_t>(memory, *a);
  case ModelFunction::Sum:
    return sumOfPieces(memory, *a, *b);
  }
  return std::nullopt;
}

} // namespace faultline::depend
