// Evaluates the model of one call: what it reads as that was when the call began, what depends on the result
// when it has returned. A function without a model is a black box.
//
//   ModelledCall call(models.find("strcpy"), state);   // the call begins
//   call.finish(state, {.result = d, ...}, effect);    // it is over
#pragma once

#include "depend/call_model_format.h"
#include "depend/call_model_nodes.h"
#include "depend/call_model_scan.h"

#include <span>

namespace faultline::depend {

// Bytes at a pointer that a black box may have looked at, or written without our seeing it.
inline constexpr uint64_t kBlackBoxReads = 64, kLongestText = 4096, kReach = 4096;

struct CallReturn {
  std::optional<uint64_t> result = {}; // the first word, a negative one as such; nothing: not used or none
  uint32_t resultSize = 0;             // bytes
  std::span<const AddressRange> written = {}; // what the call was seen to have written
  bool returned = true;
};

class ModelledCall {
public:
  // model null: a black box.
  ModelledCall(const CallModel* model, const CallState& state);
  // state: words are not looked at any more.
  void finish(const CallState& state, const CallReturn& end, OutsideEffect& out);

private:
  struct ClauseState {
    std::optional<FormattedText> format = {};
    std::optional<ScannedText> scan = {};
  };
  using Value = ModelNodes::Value;

  void flow(const ModelClause& clause, const ClauseState& at);
  void flowToMemory(const ModelClause& clause, const ClauseState& at, bool isCertain);
  void flowToResult(const ModelClause& clause, const ClauseState& at);
  void scan(const ModelClause& clause, const ScannedText& scan);
  std::vector<FlowSource> sourcesOf(const ModelClause& clause, const ClauseState& at);
  Value seenSize(uint64_t address) const;
  bool isSeen(uint64_t address, uint64_t size) const;
  void addFlow(OutsideFlow flow);
  void blackBox();
  void coverSeen();
  bool extend(const AddressRange& rest);
  std::vector<FlowSource> argumentsAndPointees() const;
  void remember();
  uint64_t inputBytes() const;

  const CallModel* model_;
  ModelNodes nodes_;
  std::vector<ClauseState> clauses_;
  std::vector<uint64_t> arguments_;
  std::vector<FlowSource> pointees_; // of a black box, when the call began

  // While finishing:
  const CallState* state_ = nullptr;
  const CallReturn* end_ = nullptr;
  OutsideEffect* out_ = nullptr;
  std::optional<OutsideFlow> result_;
  uint64_t inputTaken_ = 0;
};

} // namespace faultline::depend
