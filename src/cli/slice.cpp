// faultline slice: what influenced a value, by default the one that the run failed with.
#include "technique/slice/slice.h"
#include "cli/answer.h"
#include "cli/value_question.h"
#include "depend/outside_flow.h"
#include "depend/potential.h"
#include "report/slice_text.h"
#include "report/terminal.h"

#include <chrono>

namespace faultline::cli {
namespace {

struct SliceOptions {
  ValueOptions value;
  bool dataOnly = false, noAddresses = false;
  std::vector<std::string> stops;
  uint64_t steps = 0;
  bool all = false, library = false;
  bool dot = false;
  bool relevant = false;
  std::vector<std::string> forward;
};

bool isFunction(const replay::LoadedModule& module, uint32_t number, const std::vector<std::string>& names) {
  const fir::Image& image = *module.image;
  const fir::Function& f = image.functions[number];
  for (const std::string& name : names)
    if (image.string(f.name) == name || image.string(image.symbols[f.symbol].name) == name) return true;
  return false;
}

Result<int> answer(const Context& context, const SliceOptions& options, const finding::SliceReport& report) {
  report::SliceTextOptions shown{.mostStatements = options.all ? 0u : 40u, .library = options.library};
  report::SourceFiles sources;
  if (options.dot) {
    FL_CHECK(context.answer(report::sliceDot(report, sources, answerScreen(context))));
    return kAnswered;
  }
  FL_CHECK(answerReport(context, report, [&](report::SourceFiles& files, const report::Screen& screen) {
    return report::renderSlice(report, files, screen, shown);
  }));
  return kAnswered;
}

// From input on: no failure is needed.
Result<int> forward(const Context& context, const SliceOptions& options) {
  FL_TRY(run, openQuietRun(context, options.value));
  auto start = std::chrono::steady_clock::now();
  FL_TRY(inputs, inputsOf(*run));
  technique::ForwardQuestion question;
  question.program = programOf(run->failing.run);
  question.control = !options.dataOnly;
  question.addresses = !options.dataOnly && !options.noAddresses;
  std::vector<std::string> caveats;
  for (const std::string& what : options.forward) {
    FL_TRY(found, inputs.find(what));
    for (const depend::InputPlace& place : found.places)
      question.seeds.push_back({place.call, place.first, place.address, place.size});
    for (depend::Time call : found.uncertain)
      question.seeds.push_back({.call = call, .size = depend::kAllInput});
    if (!found.uncertain.empty())
      caveats.push_back(fmt::format("{} calls read at offsets that are not known: all that they read is "
                                    "followed, whether it is {} or not",
                                    found.uncertain.size(), what));
    question.text += fmt::format("{}{}", question.text.empty() ? "What was made of " : ", ", what);
  }
  if (question.seeds.empty())
    return errorf("the program has not read {}; its input: {}", fmt::join(options.forward, ", "),
                  streamNames(inputs));
  FL_TRY(report, technique::sliceForward(*run->history, question));
  run->stopWatching();
  report.caveats.insert(report.caveats.end(), caveats.begin(), caveats.end());
  report.stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return answer(context, options, report);
}

Result<int> slice(const Context& context, const SliceOptions& options) {
  if (!options.forward.empty()) return forward(context, options);
  FL_TRY(run, openValueRun(context, options.value));
  if (run->didNotFail) return answerDidNotFail(context, *run, "slice");
  auto start = std::chrono::steady_clock::now();
  std::optional<finding::FailureInfo> failure = run->failing.info;
  replay::Replay& replay = run->failing.run.replay;
  technique::SliceQuestion question;
  question.from = run->question.from;
  question.text = run->question.text;
  question.program = programOf(run->failing.run);
  question.control = !options.dataOnly;
  question.addresses = !options.dataOnly && !options.noAddresses;
  if (options.steps) question.stepLimit = options.steps;
  if (!options.stops.empty())
    question.stopsAt = [&](uint32_t module, uint32_t function) {
      return isFunction(*replay.program().modules()[module], function, options.stops);
    };
  std::optional<depend::Potential> potential;
  if (options.relevant) question.alternatives = &potential.emplace(*run->history);
  FL_TRY(inputs, inputsOf(*run));
  FL_TRY(report, technique::sliceBackward(*run->history, question, &inputs));
  if (options.relevant) report.direction = "relevant";
  run->stopWatching();
  if (options.value.at.empty()) report.failure = failure;
  std::vector<std::string> caveats = caveatsOf(run->failing.run);
  caveats.insert(caveats.end(), run->failing.point.caveats.begin(), run->failing.point.caveats.end());
  report.caveats.insert(report.caveats.begin(), caveats.begin(), caveats.end());
  report.stats["seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.stats["traced"] = run->history->traced();
  return answer(context, options, report);
}

} // namespace

void addSlice(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("slice", "What influenced the failure, or any value of the run");
  addCommonOptions(*command, context, {"text", "json", "sarif"});
  auto options = std::make_shared<SliceOptions>();
  addValueOptions(*command, options->value);
  command->add_flag("--relevant", options->relevant,
                    "Also decisions that, taken the other way, might have changed what was used");
  command
      ->add_option(
          "--forward", options->forward,
          "Instead: what was made of this input: stdin:120-130, FILE:0-9, argv[2], env:NAME; may be repeated")
      ->type_name("INPUT")
      ->allow_extra_args(false);
  command->add_flag("--data", options->dataOnly, "Follow values only: no decisions, no addresses");
  command->add_flag("--no-addresses", options->noAddresses,
                    "Do not follow what addresses were computed from");
  command->add_option("--stop", options->stops, "Do not look into this function; may be repeated")
      ->type_name("FUNCTION")
      ->allow_extra_args(false);
  command->add_option("--steps", options->steps, "Stop after so many instances")->type_name("N");
  command->add_flag("--all", options->all, "Show every statement");
  command->add_flag("--library", options->library, "Show statements of system headers, too");
  command->add_flag("--dot", options->dot, "Print a graph for Graphviz");
  command->callback([options, &context] { context.run([&] { return slice(context, *options); }); });
}

} // namespace faultline::cli
