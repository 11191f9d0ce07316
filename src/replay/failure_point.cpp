#include "replay/failure_point.h"

#include "base/text.h"
#include "replay/call_view.h"
#include "replay/object_names.h"

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstring>

namespace faultline::replay {

namespace {

// Where the program ended by itself: in a call of exit, or, if nothing of it is left, at main's return.
Result<void> goToEnd(Replay& replay) {
  bool gone = replay.ending().kind == Ending::Exited && replay.frames().empty();
  if (std::optional<Time> returned = replay.mainReturn(); gone && returned) return replay.seek(*returned);
  return {};
}

StoppedProgram stopped(const Replay& replay, const std::vector<FrameView>& frames) {
  return {frames, &replay.memoryView(), &replay.symbolView(), nullptr};
}

Failure failureAtEnd(const Replay& replay, const Verdict& verdict, FailureKind kind) {
  std::vector<FrameView> frames = replay.frames();
  RunEnd end;
  end.exitStatus = verdict.status;
  Failure out = diagnose(end, stopped(replay, frames));
  out.kind = kind;
  out.message = verdict.text;
  return out;
}

RunEnd endBy(const HandledFault& fault, const Outcome& outcome) {
  RunEnd end;
  end.signal = fault.how.signal;
  end.signalCode = fault.how.code;
  end.address = fault.how.address;
  end.isWrite = fault.how.write;
  end.isInside = !fault.how.outside;
  end.thread = fault.thread;
  if (outcome.errors) end.standardError = *outcome.errors;
  return end;
}

// A run that ends in its own handler of a fault failed where the fault was, whatever the handler made of it.
// Nothing: it ended in none, or the end was forced on it from outside.
Result<std::optional<Failure>> goToHandledFault(Replay& replay, const Verdict& verdict,
                                                const Outcome& outcome, std::vector<std::string>& caveats) {
  std::optional<HandledFault> fault = replay.handledFault();
  bool byItself = replay.ending().kind == Ending::Exited || replay.ending().kind == Ending::Fault;
  if (!fault || !byItself || verdict.kind == Verdict::Hung) return std::optional<Failure>();
  FL_CHECK(replay.seek(fault->time));
  std::vector<FrameView> frames = replay.frames();
  ObjectNames names(replay.symbolView(), frames, replay.memoryView(), {});
  RunEnd end = endBy(*fault, outcome);
  Failure failure = diagnose(end, {frames, &replay.memoryView(), &replay.symbolView(), &names});
  caveats.push_back(fmt::format("the program has a handler of its own for SIG{}; it ran after this, and the "
                                "run ended in it: {}",
                                sigabbrev_np(fault->how.signal), verdict.text));
  return std::optional<Failure>(std::move(failure));
}

Result<FailurePoint> wrongStatus(Replay& replay, const Verdict& verdict, const Outcome& outcome) {
  FL_CHECK(replay.runToEnd());
  FailurePoint handled;
  FL_TRY(fault, goToHandledFault(replay, verdict, outcome, handled.caveats));
  if (fault) {
    handled.failure = std::move(fault);
    return handled;
  }
  FL_CHECK(goToEnd(replay));
  FailureKind kind = verdict.kind == Verdict::WrongStatus ? FailureKind::WrongStatus
                     : verdict.kind == Verdict::Rejected  ? FailureKind::Rejected
                                                          : FailureKind::ExitStatus;
  FailurePoint out;
  out.failure = failureAtEnd(replay, verdict, kind);
  return out;
}

// What the argument is at the call that the replay stands at.
Criterion criterionOf(const OutputField& field, const OutputOrigin& origin, const Replay& replay,
                      const std::vector<FrameView>& frames) {
  Criterion out;
  out.frame = field.frame;
  out.instruction = frames[field.frame].instruction;
  auto call = CallView::of(frames[field.frame], replay.memoryView(), replay.symbolView());
  if (field.argument == 0 || !call || field.argument > call->argumentCount()) return out;
  out.operand = field.argument;
  out.value = call->argument(field.argument - 1).value_or(0);
  if (auto source = sourceValue(frames[field.frame], call->operand(field.argument - 1)))
    out.text = source->text;
  // A constant has no type here; printed as a floating one it is known to be that.
  bool isFloating = !origin.spec.empty() && std::strchr("eEfFgGaA", origin.spec.back());
  if (isFloating && fir::operandKind(call->operand(field.argument - 1)) == fir::OperandKind::Constant)
    out.text = origin.text.substr(std::min(origin.text.find_first_not_of(' '), origin.text.size()));
  // The last of the alternatives has no padding.
  size_t lead = field.others.empty() ? field.lead : origin.text.find(field.others.back());
  if (field.address != 0 && origin.within >= lead) out.memory = field.address + (origin.within - lead);
  return out;
}

// "\n" where a digit should be: the format of printf("%d\n", n) is as it should be, what stands before it is
// too short. Nothing: the byte is not one behind a field of the same call that might go on with what is
// expected.
std::optional<OutputOrigin> tooShort(const std::vector<OutputField>& fields, const OutputOrigin& origin,
                                     std::string_view expected) {
  if (expected.empty() || origin.within != 0 || origin.field == 0 || origin.field >= fields.size())
    return std::nullopt;
  const OutputField &field = fields[origin.field], &previous = fields[origin.field - 1];
  bool isLiteral = field.spec.empty() && (field.argument == 0 || previous.argument != field.argument);
  if (!isLiteral || !previous.isKnown || previous.argument == 0) return std::nullopt;
  bool isText = previous.spec.empty() || previous.spec.back() == 's';
  if (!isText && !std::isalnum(static_cast<unsigned char>(expected[0])) && expected[0] != '.')
    return std::nullopt;
  OutputOrigin out = origin;
  --out.field;
  out.argument = previous.argument;
  out.frame = previous.frame;
  out.spec = previous.spec;
  out.text = previous.others.empty() ? previous.text : previous.others.back();
  out.within = out.text.size();
  return out;
}

// If no byte of the same call is before it, what was printed until then decides where the byte is.
void addPosition(Criterion& criterion, const OutputMap& map, const OutputDifference& difference,
                 const OutputOrigin* origin) {
  auto previous = difference.offset ? map.originOf(difference.stream, difference.offset - 1) : std::nullopt;
  if (origin && origin->within != 0) return;
  if (origin && previous && previous->instance.time == origin->instance.time) return;
  criterion.isPosition = true;
  if (previous) criterion.before = previous->instance.time;
}

Result<void> goToOrigin(Replay& replay, const Verdict& verdict, const OutputOrigin& origin,
                        FailurePoint& out) {
  FL_CHECK(replay.seek(origin.instance.time));
  std::vector<FrameView> frames = replay.frames();
  Failure failure;
  failure.kind = FailureKind::WrongOutput;
  failure.message = verdict.text;
  std::vector<OutputField> fields = outputFieldsHere(replay);
  if (frames.empty()) return errorf("the call that wrote the wrong byte is not found again");
  auto call = CallView::of(frames[0], replay.memoryView(), replay.symbolView());
  if (call) failure.callee = call->shownName();
  bool isField = origin.field < fields.size() && fields[origin.field].frame < frames.size();
  OutputOrigin asked = tooShort(fields, origin, verdict.difference->expected).value_or(origin);
  failure.criterion = isField ? criterionOf(fields[asked.field], asked, replay, frames)
                              : Criterion{0, frames[0].instruction, fir::kNone, 0, ""};
  out.failure = std::move(failure);
  out.origin = origin;
  if (!origin.isVerified)
    out.caveats.push_back("the call was found by what was written before and after it: what it writes itself "
                          "is not known for certain");
  return {};
}

Result<FailurePoint> wrongOutput(Replay& replay, const Verdict& verdict, const Outcome& outcome) {
  const OutputDifference& difference = *verdict.difference;
  FL_TRY(map,
         mapOutput(replay, {outcome.output.value_or(""), outcome.errors.value_or(""), difference.offset}));
  FailurePoint out;
  out.caveats = map.caveats();
  auto origin = difference.kind == OutputDifference::Missing
                    ? std::nullopt
                    : map.originOf(difference.stream, difference.offset);
  if (origin) {
    FL_CHECK(goToOrigin(replay, verdict, *origin, out));
    addPosition(*out.failure->criterion, map, difference, &*origin);
    return out;
  }
  FL_CHECK(replay.runToEnd());
  FL_TRY(fault, goToHandledFault(replay, verdict, outcome, out.caveats));
  if (fault) {
    out.failure = std::move(fault);
    out.failure->kind = FailureKind::WrongOutput;
    out.failure->message = verdict.text;
    return out;
  }
  FL_CHECK(goToEnd(replay));
  out.failure = failureAtEnd(replay, verdict, FailureKind::WrongOutput);
  if (out.failure->criterion) {
    out.failure->criterion->operand = fir::kNone; // that it came here at all
    if (difference.kind == OutputDifference::Missing)
      addPosition(*out.failure->criterion, map, difference, nullptr);
  }
  if (difference.kind != OutputDifference::Missing)
    out.caveats.push_back("which call wrote the wrong byte is not known: this is where the run ended");
  uint64_t unwritten = 0;
  for (const OutputOrigin& o : map.unwritten(difference.stream)) unwritten += o.text.size();
  if (unwritten)
    out.caveats.push_back(fmt::format("{} bytes that the program printed never reached the stream: they were "
                                      "still in its buffer when it ended",
                                      withThousands(unwritten)));
  return out;
}

} // namespace

Result<FailurePoint> goToFailure(Replay& replay, const Verdict& verdict, const Outcome& outcome) {
  switch (verdict.kind) {
  case Verdict::WrongOutput:
    return wrongOutput(replay, verdict, outcome);
  case Verdict::WrongStatus:
  case Verdict::Status:
  case Verdict::Rejected:
    return wrongStatus(replay, verdict, outcome);
  default: {
    FL_CHECK(replay.runToEnd());
    FailurePoint out;
    FL_TRY(fault, goToHandledFault(replay, verdict, outcome, out.caveats));
    out.failure = std::move(fault);
    return out;
  }
  }
}

} // namespace faultline::replay
