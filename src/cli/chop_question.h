// What carries the failing input to the failure, as `chop` and `explain` ask for it.
#pragma once

#include "cli/input_question.h"
#include "finding/chop_report.h"

namespace faultline::cli {

struct ChopArguments {
  InputQuestionOptions asked;
  bool wholeInput = false;
  // Where the smaller input and its recording are put; empty: in the current directory, and among the others.
  std::filesystem::path folder = {};
  std::optional<std::chrono::steady_clock::time_point> deadline = {}; // of the slices
};

// The input that the forward slice starts from.
struct FailingInput {
  technique::InputSet inputs;
  std::vector<technique::Part> criterion; // bytes of it; empty: all of it
  bool isOneMinimal = false;
};
Result<FailingInput> findFailingInput(const Context& context, const ChopArguments& arguments,
                                      InputQuestion& question);

// Records the run with that input, and follows it.
Result<finding::ChopReport> chopWith(const Context& context, const ChopArguments& arguments,
                                     const InputQuestion& question, FailingInput failing);

} // namespace faultline::cli
