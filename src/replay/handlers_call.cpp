#include "replay/handler_macros.h"

#include "abi/state.h"

namespace faultline::replay {

namespace {

// Pushes a frame whose words start at `at`, where the arguments are already, and goes into it. Everything
// unusual is left to the engine: a full stack, an epoch that the log has something for, code that is not
// decoded yet.
FL_HANDLER callTarget(FL_HANDLER_PARAMETERS) {
  auto* site = static_cast<const CallSite*>(ip->pointer);
  DecodedFunction* f = site->target;
  uint64_t after = steps + ip->n;
  uint64_t* callee = w + ip->a;
  Frame* caller = m->frame;
  if (epoch >= m->epochStop || after >= m->stepStop || !f->fastEntry || caller + 1 >= m->frameLimit ||
      callee + f->words > m->wordsLimit) [[unlikely]] {
    steps = after - 1;
    FL_LEAVE(Exit::CallReady);
  }
  caller->site = site;
  Frame* frame = caller + 1;
  frame->function = f;
  frame->site = nullptr;
  frame->words = caller->words + ip->a;
  frame->base = frame->topBefore = m->frameTop;
  frame->entryEpoch = epoch;
  frame->kind = Frame::Called;
  m->frame = frame;
  ++epoch;
  steps = after;
  w = callee;
  ip = f->fastEntry;
  FL_DISPATCH(Mode::Fast);
}

template <ReturnForm R, bool Guarded> FL_HANDLER returnValue(FL_HANDLER_PARAMETERS) {
  uint64_t value = 0;
  if constexpr (R == ReturnForm::Word) value = w[ip->a];
  if constexpr (R == ReturnForm::Constant) value = ip->imm;
  Frame* frame = m->frame;
  uint64_t guard = FL_FRAME_GUARD;
  if constexpr (Guarded)
    if (!m->memory.loadFast(frame->base + frame->function->guardOffset, guard)) guard = 0;
  steps += ip->n;
  if (frame->kind != Frame::Called || steps >= m->stepStop || guard != FL_FRAME_GUARD) [[unlikely]] {
    --steps;
    m->returnValue = value;
    FL_LEAVE(Exit::ReturnReady);
  }
  Frame* caller = frame - 1;
  const CallSite* site = caller->site;
  w -= frame->words - caller->words;
  if constexpr (R != ReturnForm::Void)
    if (site->dst != fir::kNone) w[site->dst] = value;
  m->frameTop = frame->topBefore;
  m->frame = caller;
  ip = site->fastResume;
  FL_DISPATCH(Mode::Fast);
}

} // namespace

Handler callHandler() { return callTarget; }

Handler returnHandler(ReturnForm form, bool guarded) {
  switch (form) {
  case ReturnForm::Void:
    return guarded ? returnValue<ReturnForm::Void, true> : returnValue<ReturnForm::Void, false>;
  case ReturnForm::Word:
    return guarded ? returnValue<ReturnForm::Word, true> : returnValue<ReturnForm::Word, false>;
  default:
    return guarded ? returnValue<ReturnForm::Constant, true> : returnValue<ReturnForm::Constant, false>;
  }
}

} // namespace faultline::replay
