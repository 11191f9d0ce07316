#include "depend/outside_calls.h"

#include "depend/models.h"
#include "replay/engine.h"

namespace faultline::depend {

using replay::OutsideCall;

OutsideCalls::Place OutsideCalls::placeOf(const OutsideCall& call) {
  engine_ = &call.engine;
  return {call.engine.runningThread(), call.engine.thread().depth};
}

const OutsideCalls::Callee& OutsideCalls::calleeOf(const OutsideCall& call) {
  const std::string& name = names_.of(call);
  auto [it, isNew] = callees_.try_emplace(&name);
  if (isNew) it->second = {name, models_.find(name)};
  return it->second;
}

CallState OutsideCalls::stateOf(const OutsideCall& call, const EngineView& view) {
  CallState state = callState(call, view);
  state.blockSize = [this](uint64_t block) -> std::optional<uint64_t> {
    auto it = blocks_.find(block);
    return it == blocks_.end() ? std::nullopt : std::optional(it->second);
  };
  state.global = [this, &view](const std::string& name) -> std::optional<uint64_t> {
    auto [it, isNew] = globals_.try_emplace(name, 0);
    if (isNew) it->second = addressOf(view, name);
    return it->second;
  };
  state.data = [this](uint64_t object) -> std::optional<uint64_t> {
    auto it = data_.find(object);
    return it == data_.end() ? std::nullopt : std::optional(it->second);
  };
  state.remember = [this](uint64_t object, uint64_t data) {
    if (data)
      data_[object] = data;
    else
      data_.erase(object); // it may have moved
  };
  return state;
}

uint64_t OutsideCalls::onOutsideCall(const OutsideCall& call) {
  Place place = placeOf(call);
  const Callee& callee = calleeOf(call);
  uint64_t number = effects_.size();
  effects_.push_back({.time = call.engine.current().time, .function = callee.name});
  // Calls at this depth or further in that never came back are gone.
  auto gone = pending_.lower_bound(place);
  while (gone != pending_.end() && gone->first.thread == place.thread) gone = pending_.erase(gone);
  EngineView view(call.engine);
  pending_[place].call = std::make_unique<ModelledCall>(callee.model, stateOf(call, view));
  return number;
}

void OutsideCalls::onOutsideWrite(uint64_t address, uint64_t size) {
  if (!engine_) return early_.push_back({address, size});
  pending_[{engine_->runningThread(), engine_->thread().depth}].written.push_back({address, size});
}

uint64_t OutsideCalls::onOutsideReturn(const OutsideCall& call, uint64_t number,
                                       std::span<const uint64_t> result, bool returned) {
  auto node = pending_.extract(placeOf(call));
  Pending pending;
  if (!node.empty()) pending = std::move(node.mapped());
  const Callee& callee = calleeOf(call);
  if (number == replay::kNoCall) {
    // It began before the trace: what it read is taken as it is now.
    number = effects_.size();
    effects_.push_back({.function = callee.name});
    pending.call.reset();
    pending.written.insert(pending.written.end(), early_.begin(), early_.end());
  }
  early_.clear();
  EngineView view(call.engine);
  CallState state = stateOf(call, view);
  if (!pending.call) pending.call = std::make_unique<ModelledCall>(callee.model, state);
  CallReturn end;
  end.result = returned ? resultValue(call, result) : std::nullopt;
  end.resultSize = returned && !result.empty() ? resultBytes(call) : 0;
  end.written = pending.written;
  end.returned = returned;
  OutsideEffect& effect = effects_[number];
  pending.call->finish(state, end, effect);
  effect.result = end.result;
  effect.seen = std::move(pending.written);
  for (const replay::Source& argument : call.site.arguments)
    effect.arguments.push_back(argument.value(call.words));
  followBlocks(callee.name, call, end.result);
  return number;
}

// Sizes of blocks, for what realloc copies. A block that was made before the trace began is not known.
void OutsideCalls::followBlocks(const std::string& name, const OutsideCall& call,
                                std::optional<uint64_t> result) {
  auto argument = [&](size_t k) {
    return k < call.site.arguments.size() ? call.site.arguments[k].value(call.words) : 0;
  };
  if (name == "free" || name == "realloc") blocks_.erase(argument(0));
  if (!result || *result == 0) return;
  if (name == "malloc" || name == "_Znwm" || name == "_Znam")
    blocks_[*result] = argument(0);
  else if (name == "calloc")
    blocks_[*result] = argument(0) * argument(1);
  else if (name == "realloc" || name == "aligned_alloc" || name == "memalign")
    blocks_[*result] = argument(1);
  else if (name == "reallocarray")
    blocks_[*result] = argument(1) * argument(2);
}

} // namespace faultline::depend
