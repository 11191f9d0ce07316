#include "finding/describe_stop.h"

#include "finding/paths.h"
#include "replay/expression.h"
#include "replay/symbol_name.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace faultline::finding {

using replay::FrameVariable;
using replay::FrameView;

namespace {

// A recursion that ran away has its ends shown, not its middle.
constexpr size_t kInnermost = 64, kOutermost = 16;

class Describer {
public:
  explicit Describer(const StopQuestion& question)
      : question_(question), names_(*question.symbols, question.frames, *question.memory, question.heap) {
    context_.memory = question.memory;
    context_.symbols = question.symbols;
    context_.nameOf = [this](uint64_t address) { return names_.brief(address); };
  }

  StopReport run() {
    StopReport out;
    out.program = question_.program;
    out.instance = question_.instance;
    out.depth = question_.frames.size();
    for (size_t k = 0; k < out.depth; ++k)
      if (k < kInnermost || k + kOutermost >= out.depth) out.stack.push_back(frame(k));
    if (question_.end || question_.failure) failure(out);
    for (const std::string& expression : question_.print)
      out.printed.push_back(printed(expression, out.caveats));
    return out;
  }

private:
  // The outermost details only: a frame's line must fit a line.
  Value brief(const FrameVariable& v) const {
    replay::ValueContext context = context_;
    context.limits = {.depth = 1, .elements = 4, .text = 24, .total = 48};
    context.nameOf = nullptr;
    return value(v, context);
  }
  Value full(const FrameVariable& v) const {
    replay::ValueContext context = context_;
    context.pointerTypes = true;
    return value(v, context);
  }
  Value value(const FrameVariable& v, const replay::ValueContext& context) const {
    return {v.name, replay::typeName(v.place.type),
            v.isAvailable ? valueText(v.place, context) : "<not available>"};
  }

  StackFrame frame(size_t number) const {
    const FrameView& view = question_.frames[number];
    StackFrame out;
    out.number = number;
    out.place = placeOf(view, question_.program.cwd);
    out.isLibrary = isLibraryFrame(out.place);
    bool wanted = number == 0 || question_.allFrames || number == innermostOwn();
    for (const FrameVariable& v : variablesInScope(view, *question_.memory)) {
      if (v.isArgument)
        out.arguments.push_back(wanted ? full(v) : brief(v));
      else if (wanted)
        out.variables.push_back(full(v));
    }
    if (question_.globals && wanted)
      for (const FrameVariable& v : globalsMentioned(view, *question_.symbols))
        out.globals.push_back(full(v));
    return out;
  }

  size_t innermostOwn() const {
    for (size_t k = 0; k < question_.frames.size() && k < kInnermost; ++k)
      if (!isLibraryFrame(placeOf(question_.frames[k], question_.program.cwd))) return k;
    return 0;
  }

  void failure(StopReport& out) const {
    replay::Failure f =
        question_.failure
            ? *question_.failure
            : diagnose(*question_.end, {question_.frames, question_.memory, question_.symbols, &names_});
    out.callee = f.callee;
    if (f.kind != replay::FailureKind::None) out.failure = describeFailure(f, question_);
  }

  Value printed(const std::string& expression, std::vector<std::string>& caveats) const {
    if (question_.frames.empty()) return {expression, "", "<no frame>"};
    auto place =
        replay::evaluate(expression, question_.frames[innermostOwn()], *question_.memory, *question_.symbols);
    if (!place) {
      caveats.push_back(fmt::format("{}: {}", expression, place.error().message));
      return {expression, "", "<error>"};
    }
    replay::ValueContext context = context_;
    context.pointerTypes = true;
    context.limits = {.depth = 8, .elements = 64, .text = 400, .total = 4000};
    return {expression, replay::typeName(*place), valueText(*place, context)};
  }

  const StopQuestion& question_;
  replay::ObjectNames names_;
  replay::ValueContext context_;
};

std::string criterionText(const replay::Criterion& criterion) {
  return criterion.operand == fir::kNone ? "" : fmt::format("{:#x}", criterion.value);
}

} // namespace

Place placeOf(const FrameView& frame, std::string_view workingDirectory) {
  Place out;
  const fir::Function* f = replay::functionOf(frame);
  if (!f) return out;
  const fir::Image& image = *frame.image;
  std::string linker(f->symbol < image.symbols.size() ? image.string(image.symbols[f->symbol].name) : "");
  out.function = linker.starts_with("_Z") ? replay::functionName(linker) : std::string(image.string(f->name));
  if (const fir::Location* at = replay::locationOf(frame)) {
    out.file = absolutePath(image.sourcePath(*at), workingDirectory);
    out.line = at->line;
    out.column = at->column;
  }
  return out;
}

bool isLibraryFrame(const Place& place) {
  // A compiler writes its own headers with a way that goes up again: /usr/bin/../lib/gcc/...
  std::string file = std::filesystem::path(place.file).lexically_normal().string();
  return file.starts_with("/usr/include/") || file.starts_with("/usr/lib/") ||
         file.starts_with("/usr/local/include/");
}

FailureInfo describeFailure(const replay::Failure& failure, const StopQuestion& question) {
  FailureInfo out;
  out.kind = replay::kindName(failure.kind);
  out.signal = failure.signal;
  out.message = failure.message;
  if (failure.frame >= question.frames.size()) return out;
  // A frame that the compiler made by itself has no source; the one that called it has.
  size_t shown = failure.frame;
  while (shown + 1 < question.frames.size() &&
         !placeOf(question.frames[shown], question.program.cwd).isKnown())
    ++shown;
  out.place = placeOf(question.frames[shown], question.program.cwd);
  for (size_t k = shown + 1; isLibraryFrame(out.place) && k < question.frames.size(); ++k) {
    Place outer = placeOf(question.frames[k], question.program.cwd);
    if (isLibraryFrame(outer)) continue;
    out.calledFrom = outer;
    break;
  }
  if (failure.criterion)
    out.criterion = CriterionInfo{question.instance,
                                  placeOf(question.frames[failure.criterion->frame], question.program.cwd),
                                  failure.criterion->text, criterionText(*failure.criterion)};
  // The value was handed on by a function with "...".
  if (failure.criterion && failure.criterion->frame > shown && !out.calledFrom)
    out.calledFrom = out.criterion->place;
  return out;
}

OutputInfo describeOutput(const replay::OutputDifference& difference,
                          const std::optional<replay::OutputOrigin>& origin) {
  OutputInfo out;
  out.stream = difference.stream;
  out.offset = difference.offset;
  out.line = difference.line;
  out.got = difference.got;
  out.expected = difference.expected;
  out.gotLine = difference.gotLine;
  out.expectedLine = difference.expectedLine;
  if (!origin) return out;
  out.call = replay::functionName(origin->function);
  if (out.call.find("operator<<") != std::string::npos) out.call = "operator<<"; // not which of all of them
  out.argument = origin->argument;
  out.conversion = origin->spec;
  out.text = origin->text;
  out.isVerified = origin->isVerified;
  return out;
}

StopReport describeStop(const StopQuestion& question) { return Describer(question).run(); }

} // namespace faultline::finding
