#include "cli/value_question.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/answer.h"
#include "cli/interrupt.h"
#include "depend/locate.h"
#include "replay/expression.h"
#include "replay/value_text.h"
#include "replay/variables.h"

#include <charconv>
#include <chrono>

namespace faultline::cli {

void addValueOptions(CLI::App& command, ValueOptions& options) {
  addRunOptions(command, options.run);
  command
      .add_option("--at", options.at,
                  "Start elsewhere: FILE:LINE, FILE:LINE:EXPRESSION (its value there), or an instance "
                  "(EPOCH:INSTRUCTION, "
                  "@TIME, @-N)")
      ->type_name("WHERE");
  command
      .add_option("--value", options.expression, "Start from this expression, e.g. list->head.next or a[3]")
      ->type_name("EXPR");
  command
      .add_option("--execution", options.execution,
                  "The N-th execution of the line; without it, the last one")
      ->type_name("N");
  command
      .add_option("--budget", options.budget,
                  "Stop following after so many seconds, and answer with what there is")
      ->check(CLI::PositiveNumber)
      ->type_name("SECONDS")
      ->capture_default_str();
  command
      .add_option("--models", options.models,
                  "What functions without source do, beside what is known (docs/models.md)")
      ->type_name("FILE");
}

namespace {

// Shows how far the walk is, and ends it when its time is over.
void watchOver(const Context& context, ValueRun& run, double budget) {
  using Clock = std::chrono::steady_clock;
  catchInterrupt();
  auto end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(budget));
  run.progress = std::make_shared<Progress>(context.log(), "following", 0);
  run.history->setWatch([progress = run.progress, end](uint64_t instructions) {
    progress->advance(instructions);
    return !wasInterrupted() && Clock::now() < end;
  });
}

struct LinePlace {
  std::string file;
  uint32_t line;
  std::string expression;
};

// Nothing: it is no FILE:LINE.
std::optional<LinePlace> parseLine(std::string_view text) {
  for (size_t colon = text.find(':'); colon != std::string_view::npos; colon = text.find(':', colon + 1)) {
    uint32_t line = 0;
    const char* from = text.data() + colon + 1;
    auto [end, failed] = std::from_chars(from, text.data() + text.size(), line);
    bool closed = end == text.data() + text.size() || *end == ':';
    if (failed != std::errc() || end == from || !closed) continue;
    bool number = std::all_of(text.begin(), text.begin() + ptrdiff_t(colon),
                              [](char c) { return c >= '0' && c <= '9'; });
    if (number) return std::nullopt; // an instance
    std::string expression;
    if (end != text.data() + text.size()) expression = std::string(end + 1, text.data() + text.size());
    return LinePlace{std::string(text.substr(0, colon)), line, expression};
  }
  return std::nullopt;
}

// What an instruction is about: what it stores, tests, passes or returns.
std::vector<uint32_t> operandsOfInterest(const fir::Image& image, const fir::Instruction& i) {
  using fir::Op;
  switch (i.op) {
  case Op::Store:
  case Op::StoreVar:
    return {1};
  case Op::Call: {
    std::vector<uint32_t> all;
    for (uint32_t k = 1; k < i.operandCount; ++k) all.push_back(k);
    return all;
  }
  case Op::Br:
  case Op::Entry:
  case Op::Alloca:
    return {};
  default: {
    std::vector<uint32_t> all;
    for (uint32_t k = 0; k < i.operandCount; ++k)
      if (fir::operandKind(image.operandsOf(i)[k]) == fir::OperandKind::Word) all.push_back(k);
    return all;
  }
  }
}

// The expression's value where the replay stands.
Result<void> askForExpression(replay::Replay& replay, const std::string& expression, size_t frame,
                              ValueQuestion& out) {
  std::vector<replay::FrameView> frames = replay.frames();
  if (frame >= frames.size()) return errorf("the program has not begun there: '{}' has no value", expression);
  const replay::FrameView& view = frames[frame];
  out.from.time = replay.now();
  out.from.frame = frame;
  replay::ValueContext context;
  context.memory = &replay.memoryView();
  context.symbols = &replay.symbolView();
  FL_TRY(place, replay::evaluate(expression, view, replay.memoryView(), replay.symbolView()));
  out.value = finding::Value{expression, replay::typeName(place), replay::valueText(place, context)};
  if (!place.held && place.bitSize) {
    out.from.bits.push_back({place.address, place.bitShift, place.bitSize});
    return {};
  }
  if (place.hasAddress()) {
    out.from.memory.push_back({place.address, std::max<uint64_t>(1, replay::sizeOf(place.type))});
    return {};
  }
  // A variable that lives in frame words, or a part of one.
  std::string name = expression.substr(0, expression.find_first_of(".[- "));
  for (const fir::Variable& v : replay::variablesOf(view)) {
    if (v.home != fir::Home::Word || view.image->string(v.name) != name) continue;
    auto found = replay::findVariable(view, replay.memoryView(), name);
    if (!found) break;
    uint64_t words = std::max<uint64_t>(1, (replay::sizeOf(found->place.type) + 7) / 8);
    for (uint64_t k = 0; k < words && v.word + k < view.words.size(); ++k)
      out.from.words.push_back(uint32_t(v.word + k));
    return {};
  }
  return errorf("'{}' is computed, not kept: ask for one of the variables in it", expression);
}

Result<void> askAtLine(depend::History& history, const LinePlace& where, uint64_t execution,
                       ValueQuestion& out) {
  replay::Replay& replay = history.replay();
  FL_CHECK(replay.runToEnd());
  replay::Time end = replay.engine().steps();
  auto ids = depend::instructionsAt(replay.program(), where.file, where.line);
  if (ids.empty())
    return errorf("no code stands at {}:{}: name a line with a statement", where.file, where.line);
  FL_TRY(found, depend::findExecution(history, ids, execution, end));
  if (!found)
    return execution ? errorf("{}:{} was not executed {} times", where.file, where.line, execution)
                     : errorf("{}:{} was never executed in this run", where.file, where.line);
  FL_CHECK(replay.seek(found->time));
  std::vector<replay::FrameView> frames = replay.frames();
  if (frames.empty()) return errorf("the replay is not inside of {} there", where.file);
  const fir::Image& image = *frames[0].image;
  const fir::Instruction& last = image.instructions[frames[0].instruction];
  out.text = fmt::format("at {}:{}", where.file, where.line);
  if (!where.expression.empty()) {
    // As the line leaves it, unless that also leaves the function.
    bool stays = last.op != fir::Op::Call && last.op != fir::Op::Ret && last.op != fir::Op::Br &&
                 last.op != fir::Op::CondBr && last.op != fir::Op::Switch;
    if (stays) FL_CHECK(replay.seek(found->time + 1));
    return askForExpression(replay, where.expression, 0, out);
  }
  out.from.time = replay.now();
  out.from.operands = operandsOfInterest(image, last);
  return {};
}

void askAtFailure(const FailingRun& run, ValueQuestion& out) {
  out.from.time = run.run.replay.now();
  if (!run.failure || !run.failure->criterion) return;
  const replay::Criterion& c = *run.failure->criterion;
  out.from.frame = c.frame;
  out.from.instruction = c.instruction;
  if (c.operand != fir::kNone) out.from.operands = {c.operand};
  if (c.memory) out.from.memory.push_back({*c.memory, 1});
  if (c.isPosition) out.from.position = depend::OutputPosition{c.before};
  if (!c.text.empty())
    out.value =
        finding::Value{c.text, "", c.operand == fir::kNone || c.memory ? "" : fmt::format("{:#x}", c.value)};
}

std::string questionText(const ValueQuestion& q, const std::string& at, const char* otherwise) {
  std::string value = !q.value                ? otherwise
                      : q.value->text.empty() ? q.value->name
                                              : fmt::format("{} = {}", q.value->name, q.value->text);
  return at.empty() ? value : fmt::format("{}, {}", value, at);
}

} // namespace

Result<std::unique_ptr<ValueRun>> openQuietRun(const Context& context, const ValueOptions& options) {
  auto models = std::make_unique<depend::CallModels>(depend::CallModels::standard());
  if (!options.models.empty()) {
    FL_TRY(text, readFile(options.models));
    FL_TRY(own, depend::CallModels::parse(text, options.models));
    models->add(own);
  }
  FL_TRY(failing, openFailingRun(context, options.run));
  std::unique_ptr<ValueRun> out(new ValueRun{std::move(failing), std::move(models), nullptr, {}, false});
  depend::HistoryOptions kept;
  const OpenRun& run = out->failing.run;
  if (options.models.empty())
    kept.side = std::make_shared<recording::SideFiles>(run.path, run.recording.identity());
  out->history = std::make_unique<depend::History>(out->failing.run.replay, *out->models, std::move(kept));
  watchOver(context, *out, options.budget);
  return out;
}

void ValueRun::watchUntil(std::chrono::steady_clock::time_point deadline) {
  progress.reset();
  history->setWatch(
      [deadline](uint64_t) { return !wasInterrupted() && std::chrono::steady_clock::now() < deadline; });
}

Result<depend::Inputs> inputsOf(ValueRun& run) {
  replay::Replay& replay = run.failing.run.replay;
  replay::Time now = replay.now();
  depend::InputOptions options;
  const recording::Recording& recording = run.failing.run.recording;
  options.argv = recording.meta().argv;
  if (recording.meta().input == "captured")
    if (auto bytes = recording.input()) options.standardInput = std::move(*bytes);
  FL_TRY(inputs, depend::Inputs::of(replay, std::move(options)));
  FL_CHECK(replay.seek(now));
  return inputs;
}

std::string streamNames(const depend::Inputs& inputs) {
  std::string names;
  for (const depend::InputStream& s : inputs.streams()) names += (names.empty() ? "" : ", ") + s.text();
  return names.empty() ? "none" : names;
}

Result<std::unique_ptr<ValueRun>> openValueRun(const Context& context, const ValueOptions& options) {
  std::optional<LinePlace> line = options.at.empty() ? std::nullopt : parseLine(options.at);
  if (options.execution && !line) return errorf("--execution needs --at FILE:LINE");
  FL_TRY(out, openQuietRun(context, options));
  replay::Replay& replay = out->failing.run.replay;
  ValueQuestion& q = out->question;
  if (line) {
    FL_CHECK(askAtLine(*out->history, *line, options.execution, q));
    q.text = questionText(q, q.text, "What the line used");
    return out;
  }
  if (!options.at.empty()) {
    FL_CHECK(goToInstance(replay, options.at));
    q.from.time = replay.now();
    std::vector<replay::FrameView> frames = replay.frames();
    if (!options.expression.empty()) {
      FL_CHECK(askForExpression(replay, options.expression, 0, q));
    } else if (!frames.empty()) {
      q.from.operands =
          operandsOfInterest(*frames[0].image, frames[0].image->instructions[frames[0].instruction]);
    }
    q.text = questionText(q, fmt::format("at {}", options.at), "What the instruction used");
    return out;
  }
  if (!out->failing.failure) {
    out->didNotFail = true;
    return out;
  }
  if (!options.expression.empty()) {
    FL_CHECK(askForExpression(replay, options.expression, out->failing.failure->frame, q));
    q.text = questionText(q, "at the failure", "");
    return out;
  }
  askAtFailure(out->failing, q);
  q.text = questionText(q, "", "Why the program came to this");
  return out;
}

Result<int> answerDidNotFail(const Context& context, const ValueRun& run, const char* technique) {
  if (!context.isText()) {
    FL_CHECK(answerNoFailure(context, technique, programOf(run.failing.run), run.failing.run.caveats));
    return kDidNotFail;
  }
  bool takesValue = std::string_view(technique) == "origin";
  FL_CHECK(context.answer(
      fmt::format("The run did not fail: it {}.\nTo ask about any value in it: faultline {} --at "
                  "FILE:LINE[:VARIABLE] {}\n",
                  endText(*run.failing.run.recording.end()), takesValue ? technique : "slice",
                  shellWord(run.failing.run.path.string()))));
  return kDidNotFail;
}

} // namespace faultline::cli
