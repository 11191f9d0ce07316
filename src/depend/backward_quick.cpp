// The part of the walk that repeats what it has done before (walk_memo.h).
#include "depend/backward_walk.h"

namespace faultline::depend {

namespace {
constexpr uint32_t kWrite = 1u << 31, kReturn = ~0u; // as steps of a key
} // namespace

// Instances are only counted from here on, and nothing else is asked of each.
bool BackwardWalk::mayRepeat() const {
  return slice_.nodes.size() >= options_.nodeLimit && !alternatives_ && !options_.stopsAt &&
         options_.stepLimit == ~uint64_t(0);
}

void BackwardWalk::beginQuick() {
  isQuick_ = options_.repeats && mayRepeat() && pause_ == 0;
  if (pause_ > 0) --pause_;
  if (isQuick_ && !memo_) memo_ = std::make_unique<WalkMemo>();
  if (isQuick_) memo_->asked = memo_->missed = 0;
}

// Where little repeats, remembering costs more than it saves.
void BackwardWalk::endQuick() {
  constexpr uint32_t kPause = 16, kMany = 1000;
  settle();
  if (isQuick_ && memo_->missed > kMany && memo_->missed * 4 > memo_->asked) pause_ = kPause;
}

void BackwardWalk::countRepeated() {
  if (!memo_) return;
  for (Piece& piece : memo_->pieces()) {
    for (uint32_t id : piece.included) counts_[id].instances += piece.times;
    slice_.repeated += piece.times;
    piece.times = 0;
  }
}

// What is wanted of the call that the walk comes to, as those want it who do not repeat.
void BackwardWalk::settle() {
  if (!thread_->knownCall) return;
  thread_->callee = thread_->knownCall->wants;
  thread_->hasCallee = true;
  thread_->knownCall = nullptr;
}

bool BackwardWalk::knowCall() {
  if (thread_->knownCall || !thread_->hasCallee) return true;
  if (thread_->variadic) return false;
  CallWants wants = thread_->callee;
  thread_->knownCall = memo_->call(std::move(wants));
  if (thread_->knownCall) thread_->dropCallee();
  return thread_->knownCall != nullptr;
}

KnownFrame* BackwardWalk::know(WalkFrame& frame) {
  if (frame.known()) return frame.known();
  if (!frame.wants().isPlain()) return nullptr;
  KnownFrame* known = memo_->frame(frame.wants());
  if (known) frame.know(known);
  return known;
}

// Does what a piece stands for, and remembers it. False: that cannot be done; what it stands for is done.
template <class Do> bool BackwardWalk::remember(const PieceKey& key, Do&& act) {
  ++memo_->missed;
  Piece piece;
  settle();
  recording_ = &piece;
  isRecordable_ = true;
  size_t nodes = slice_.nodes.size();
  act(thread_->stack.back().change());
  recording_ = nullptr;
  bool madeNodes = slice_.nodes.size() != nodes;
  piece.next = isRecordable_ && !thread_->hasCallee ? know(thread_->stack.back()) : nullptr;
  if (!madeNodes) memo_->add(key, piece);
  return piece.next;
}

void BackwardWalk::recordLoad(const Step& load, uint32_t node) {
  if (masks_.size() > 2) {
    isRecordable_ = false;
    return;
  }
  recording_->wants.push_back({.address = load.address,
                               .bytes = load.bytes,
                               .masks = {masks_[0], masks_.size() > 1 ? masks_[1] : 0},
                               .who = makeWanter(node, Why::Value)});
}

void BackwardWalk::repeat(Piece& piece, const StepWords& words) {
  ++piece.times;
  for (const MemoryWant& want : piece.wants)
    memory_.want(valueOf(want.address, words), want.bytes, want.masks, want.who);
  thread_->stack.back().know(piece.next);
  thread_->knownCall = nullptr;
}

// The steps lowest..end, among them no write.
bool BackwardWalk::quickSteps(uint32_t number, const SegmentCode& code, uint32_t lowest, uint32_t end,
                              const StepWords& words) {
  KnownFrame* frame = thread_->stack.back().known();
  const KnownCall* call = thread_->knownCall;
  if (frame->isIdle && !call) return true;
  PieceKey key{frame->number, call ? call->number : 0, number, end};
  Piece* piece = memo_->find(key);
  auto act = [&](FrameWants& wants) {
    time_ += lowest;
    steps(code, lowest, end, words, wants);
    time_ -= lowest;
  };
  if (!piece) return remember(key, act);
  if (piece->next) return repeat(*piece, words), true;
  settle();
  act(thread_->stack.back().change());
  return know(thread_->stack.back()) && knowCall();
}

// The step `k`, which writes.
bool BackwardWalk::quickWrite(uint32_t number, const SegmentCode& code, uint32_t k, const StepWords& words) {
  const Step& s = code.steps[k];
  stepTime_ = time_ + k;
  if (s.kind != StepKind::Store || s.bytes > 8) {
    settle();
    step(code, k, words, thread_->stack.back().change());
    return know(thread_->stack.back());
  }
  uint64_t address = valueOf(s.address, words);
  if (!memory_.isWanted(address, s.bytes)) return true;
  Wanter who = memory_.take(address, s.bytes, masks_, s.kept);
  if (who == kNobody) return true;
  PieceKey key{thread_->stack.back().known()->number, 0, number, k | kWrite, masks_[0]};
  Piece* piece = memo_->find(key);
  auto act = [&](FrameWants& wants) { store(code, k, wants, who); };
  if (!piece) return remember(key, act);
  if (piece->next) return repeat(*piece, words), true;
  act(thread_->stack.back().change());
  return know(thread_->stack.back());
}

// The whole segment. False: it is for the usual walk, and nothing was done.
bool BackwardWalk::quickSegment(uint32_t number, const SegmentCode& code, const StepWords& words) {
  bool endsInWrite = !code.writes.empty() && code.writes.back() + 1 == code.count;
  if (code.hasVariableList || endsInWrite || thread_->stack.empty()) return false;
  if (!know(thread_->stack.back()) || !knowCall()) return false;
  time_ -= code.count;
  bool isKnown = true;
  uint32_t k = code.count;
  for (size_t write = code.writes.size(); isKnown && k > 0;) {
    uint32_t lowest = write ? code.writes[write - 1] + 1 : 0;
    if (lowest < k) isKnown = quickSteps(number, code, lowest, k, words);
    k = lowest;
    if (!isKnown || k == 0) break;
    isKnown = quickWrite(number, code, --k, words);
    --write;
  }
  if (!isKnown) settle();
  if (k > 0) steps(code, 0, k, words, thread_->stack.back().change());
  if (code.beginsFunction) quickLeave();
  return true;
}

void BackwardWalk::quickLeave() {
  KnownFrame* frame = thread_->stack.back().known();
  if (frame && frame->isLeaveKnown) {
    thread_->dropCallee();
    thread_->knownCall = frame->leave;
    thread_->stack.pop_back();
    return;
  }
  settle();
  leaveFunction(thread_->stack.back().change());
  if (!frame || !knowCall()) return;
  frame->isLeaveKnown = true;
  frame->leave = thread_->knownCall;
}

// A return to the call at the end of segment `number`.
bool BackwardWalk::quickReturn(uint32_t number, const SegmentCode& callee) {
  settle();
  if (thread_->stack.empty() || thread_->hasCallee || !know(thread_->stack.back())) return false;
  PieceKey key{thread_->stack.back().known()->number, 0, number, kReturn,
               uint64_t(callee.module) << 32 | callee.function};
  Piece* piece = memo_->find(key);
  if (piece) {
    thread_->stack.back().know(piece->next);
    thread_->stack.emplace_back(piece->entered);
    return true;
  }
  ++memo_->missed;
  returned(number, callee);
  auto& stack = thread_->stack;
  KnownFrame* entered = know(stack.back());
  KnownFrame* caller = know(stack[stack.size() - 2]);
  if (entered && caller) memo_->add(key, {.next = caller, .entered = entered});
  return true;
}

} // namespace faultline::depend
