// What calls make one: arguments and parameters, results, and what outside functions do with pointers.
#include "program/points_to_functions.h"

namespace faultline::fir {
namespace {

constexpr uint32_t kCallbackParameters = 8; // no outside function hands over more

} // namespace

// A call of a function that is known: its parameters are the arguments.
void PointsToSolver::bind(uint32_t function, const Instruction& call) {
  const Function& f = linked_.body(function);
  FunctionRef ref = linked_.function(function);
  const Image& callee = *linked_.images()[ref.image];
  std::span<const Operand> operands = m_->operandsOf(call);
  std::span<const Argument> parameters = callee.argumentsOf(f);
  for (uint32_t k = 1; k < operands.size(); ++k) {
    if (k <= parameters.size())
      flow(out_.wordNode(ref.image, ref.function, parameters[k - 1].word), operands[k]);
    else if (f.flags & kVariadic)
      flow(variableArguments(function), operands[k]);
  }
  if (call.dst != kNone && holdsPointer(call.type)) flowNodes(word(call.dst), resultOf(function));
}

void PointsToSolver::visitCall(const Instruction& i, uint32_t local) {
  const CallInfo& call = m_->calls[i.aux];
  if (call.symbol == kNone) {
    target(m_->operandsOf(i)[0]);
    return pointerCalls_.push_back({image_, function_, local, {}});
  }
  uint32_t object = linked_.object(image_, call.symbol);
  if (uint32_t f = linked_.functionOf(object); f != kNone) return bind(f, i);
  OutsideFunction outside = outsideFunction(linked_.name(image_, call.symbol), call.model);
  visitOutside(i, outside, object);
  for (Operand o : m_->operandsOf(i).subspan(1)) target(o);
  outsideCalls_.push_back({image_, function_, local, outside});
}

void PointsToSolver::visitOutside(const Instruction& i, const OutsideFunction& outside, uint32_t object) {
  std::span<const Operand> arguments = m_->operandsOf(i).subspan(1);
  auto argument = [&](size_t k) { return k < arguments.size() ? target(arguments[k]) : kNone; };
  uint32_t a0 = argument(0), a1 = argument(1);
  if (outside.flow & kStoresNewInFirst && a0 != kNone) contentOf(contentOf(a0));
  if (outside.flow & kStoresFirstInSecond && a0 != kNone && a1 != kNone) join(contentOf(a1), a0);
  if (outside.flow & kKeepsSecond && a1 != kNone) join(contentOf(kept_), a1);
  if (outside.flow & kStoresKeptInSecond && a1 != kNone) flowNodes(a1, kept_);
  if (outside.flow & kThrown && a0 != kNone) join(contentOf(thrown_), a0);
  if (i.dst == kNone || m_->types[i.type].kind != TypeKind::Pointer) return;
  uint32_t result = word(i.dst);
  auto returns = [&](uint32_t pointee) {
    if (pointee != kNone) join(contentOf(result), pointee);
  };
  contentOf(result); // kReturnsNew: what only this result points to
  if (outside.flow & kThrown) flowNodes(result, thrown_);
  if (outside.flow & kReturnsFirst) returns(a0);
  if (outside.flow & kReturnsSecond) returns(a1);
  if (outside.flow & kReturnsAny)
    for (size_t k = 0; k < arguments.size(); ++k) returns(argument(k));
  if (outside.flow & kReturnsShared) returns(contentOf(out_.firstObject_ + object));
  if (outside.flow & kReturnsKept) flowNodes(result, kept_);
  if (outside.flow & kReturnsWhatFirstHolds && a0 != kNone) flowNodes(result, a0);
}

// All calls by pointers into one class with the same number of arguments share their arguments; each function
// in the class that takes no more than that has them as parameters.
void PointsToSolver::resolvePointerCalls() {
  std::map<std::pair<uint32_t, uint32_t>, Signature> current;
  auto add = [&](uint32_t callee, const Signature& s) {
    auto [it, added] = current.try_emplace({out_.find(callee), s.arguments}, s);
    if (!added)
      for (uint32_t k = 0; k <= s.arguments; ++k) flowNodes(it->second.first + k, s.first + k);
  };
  for (auto& [key, signature] : signatures_) add(key.first, signature);
  for (const Call& c : pointerCalls_) {
    image_ = c.image, function_ = c.function, m_ = linked_.images()[c.image];
    const Instruction& i = m_->instructions[c.local];
    std::span<const Operand> operands = m_->operandsOf(i);
    std::pair key{out_.find(target(operands[0])), uint32_t(operands.size() - 1)};
    auto it = current.find(key);
    if (it == current.end()) {
      Signature s{uint32_t(out_.parent_.size()), key.second};
      for (uint32_t k = 0; k <= key.second; ++k) newNode();
      it = current.emplace(key, s).first;
    }
    for (uint32_t k = 1; k < operands.size(); ++k) flow(it->second.first + k - 1, operands[k]);
    if (i.dst != kNone && holdsPointer(i.type)) flowNodes(word(i.dst), it->second.first + key.second);
  }
  signatures_ = std::move(current);
  for (uint32_t object = 0; object < linked_.objectCount(); ++object) {
    uint32_t function = linked_.functionOf(object);
    if (function == kNone) continue;
    const Function& f = linked_.body(function);
    FunctionRef ref = linked_.function(function);
    std::span<const Argument> parameters = linked_.images()[ref.image]->argumentsOf(f);
    uint32_t own = out_.find(out_.firstObject_ + object);
    for (auto it = signatures_.lower_bound({own, f.argumentCount});
         it != signatures_.end() && it->first.first == own; ++it) {
      const Signature& s = it->second;
      for (uint32_t k = 0; k < s.arguments; ++k) {
        if (k < parameters.size())
          flowNodes(out_.wordNode(ref.image, ref.function, parameters[k].word), s.first + k);
        else if (f.flags & kVariadic)
          flowNodes(variableArguments(function), s.first + k);
      }
      flowNodes(resultOf(function), s.first + s.arguments);
    }
  }
}

// What outside code hands to functions of a class; nodes from `callbacks` on stand for their parameters.
void PointsToSolver::giveToCallbacks(const Call& call, uint32_t callbacks) {
  std::span<const Operand> arguments = m_->operandsOf(m_->instructions[call.local]).subspan(1);
  auto give = [&](uint32_t parameter, size_t argument) {
    if (argument < arguments.size()) flow(callbacks + parameter, arguments[argument]);
  };
  if (call.outside.flow & kCallsWithFirst) give(0, 0), give(1, 0), give(2, 4);
  if (call.outside.flow & kCallsWithBoth) give(0, 0), give(1, 1);
  if (call.outside.flow & kStartsWithFourth) give(0, 3), flowNodes(kept_, callbacks + kCallbackParameters);
  if (call.outside.flow & kCallsWithAny)
    for (uint32_t p = 0; p < kCallbackParameters; ++p)
      for (size_t a = 0; a < arguments.size(); ++a) give(p, a);
}

void PointsToSolver::resolveCallbacks() {
  std::unordered_map<uint32_t, std::vector<uint32_t>> functions;
  for (uint32_t object = 0; object < linked_.objectCount(); ++object)
    if (uint32_t f = linked_.functionOf(object); f != kNone)
      functions[out_.find(out_.firstObject_ + object)].push_back(f);
  std::unordered_map<uint32_t, uint32_t> current;
  for (auto& [own, nodes] : callbacks_) {
    auto [it, added] = current.try_emplace(out_.find(own), nodes);
    for (uint32_t k = 0; !added && k <= kCallbackParameters; ++k) flowNodes(it->second + k, nodes + k);
  }
  constexpr uint32_t kCalls = kCallsWithFirst | kCallsWithBoth | kStartsWithFourth | kCallsWithAny;
  for (const Call& c : outsideCalls_) {
    if (!(c.outside.flow & kCalls)) continue;
    image_ = c.image, function_ = c.function, m_ = linked_.images()[c.image];
    for (Operand o : m_->operandsOf(m_->instructions[c.local]).subspan(1)) {
      uint32_t t = target(o);
      if (t == kNone || !functions.count(out_.find(t))) continue;
      auto [it, added] = current.try_emplace(out_.find(t), uint32_t(out_.parent_.size()));
      for (uint32_t k = 0; added && k <= kCallbackParameters; ++k) newNode();
      giveToCallbacks(c, it->second);
    }
  }
  callbacks_ = std::move(current);
  for (auto& [own, callbacks] : callbacks_)
    for (uint32_t f : functions[own]) bindCallback(f, callbacks);
}

void PointsToSolver::bindCallback(uint32_t function, uint32_t callbacks) {
  FunctionRef ref = linked_.function(function);
  std::span<const Argument> parameters = linked_.images()[ref.image]->argumentsOf(linked_.body(function));
  for (uint32_t k = 0; k < parameters.size() && k < kCallbackParameters; ++k)
    flowNodes(out_.wordNode(ref.image, ref.function, parameters[k].word), callbacks + k);
  flowNodes(resultOf(function), callbacks + kCallbackParameters);
}

std::span<const uint32_t> PointsToSolver::knownTargets(const Call& call) const {
  auto it = out_.targets_.find(uint64_t(call.image) << 32 | call.local);
  return it == out_.targets_.end() ? std::span<const uint32_t>() : it->second;
}

// Once is enough: the targets do not change. The other calls are left to the classes.
void PointsToSolver::resolveKnownCalls() {
  auto isKnown = [&](const Call& c) {
    auto it = out_.targets_.find(uint64_t(c.image) << 32 | c.local);
    return it != out_.targets_.end() && it->second.front() != PointsToFunctions::kMany;
  };
  auto enter = [&](const Call& c) {
    image_ = c.image, function_ = c.function, m_ = linked_.images()[c.image];
  };
  for (const Call& c : pointerCalls_) {
    enter(c);
    if (!isKnown(c)) continue;
    for (uint32_t f : knownTargets(c)) bind(f, m_->instructions[c.local]);
  }
  for (const Call& c : outsideCalls_) {
    if (!isKnown(c)) continue;
    enter(c);
    auto callbacks = uint32_t(out_.parent_.size());
    for (uint32_t k = 0; k <= kCallbackParameters; ++k) newNode();
    giveToCallbacks(c, callbacks);
    for (uint32_t f : knownTargets(c)) bindCallback(f, callbacks);
  }
  std::erase_if(pointerCalls_, isKnown);
  // An outside call that nobody hands a function to has none to call.
  std::erase_if(outsideCalls_, [&](const Call& c) { return isKnown(c) || knownTargets(c).empty(); });
}

} // namespace faultline::fir
