// What every subcommand gets: the common options, a log, and how to hand in an answer. One file per
// subcommand defines add<Name>(); main.cpp lists them.
#pragma once

#include "base/log.h"
#include "base/result.h"
#include "cli/known_variants.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>

namespace faultline::cli {

// cli.md: what a status means to a script.
enum ExitStatus { kAnswered = 0, kCallAtFault = 1, kDidNotFail = 2, kNoAnswer = 3 };

// What an answer can be printed as. Every command has text and json; some have more.
using Formats = std::vector<std::string>;

struct Context {
  bool json = false;                // --json, or --format json
  std::string format;               // --format; empty: text, or json by --json
  std::string badFormat;            // why it cannot be had, in one line
  std::vector<std::string> command; // as we were called
  std::string output;
  bool quiet = false;
  bool verbose = false;
  std::string color = "auto";
  unsigned jobs = 0;
  int status = kAnswered;
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  double askedBudget = 0; // seconds since then, for building variants too; 0: as long as it takes
  std::shared_ptr<KnownVariants> variants = std::make_shared<KnownVariants>();
  mutable bool wasStopped = false; // a build, by that or by Ctrl-C: there is no answer

  // The answer is for a person to read: what the program prints may stand before it.
  bool isText() const { return !json && (format.empty() || format == "text"); }
  ColorChoice colorChoice() const;
  Log log() const;
  // The terminal that the answer goes to: standard output, or a plain file.
  Terminal answerTerminal() const;
  // Prints the answer to where the user asked for it.
  Result<void> answer(const std::string& text) const;
  Result<void> answer(const nlohmann::json& document) const;
  // Runs a subcommand's body: an error becomes one line and status 1.
  void run(const std::function<Result<int>()>& body);
};

// CLI11 reads structure into words: [a-z] is a list to it. What follows -- belongs to a program and must
// reach it as it was written: those words are marked, and an option that takes them has asWritten() take the
// mark off.
std::vector<std::string> wordsForCli11(int argc, char** argv);
CLI::Validator asWritten();

// Adds --json, --format, --output, --quiet, --color, --jobs.
void addCommonOptions(CLI::App& command, Context& context, const Formats& formats = {"text", "json"});

void addBuild(CLI::App& app, Context& context);
void addCache(CLI::App& app, Context& context);
void addCauses(CLI::App& app, Context& context);
void addChanges(CLI::App& app, Context& context);
void addInvariants(CLI::App& app, Context& context);
void addCritical(CLI::App& app, Context& context);
void addMemory(CLI::App& app, Context& context);
void addVary(CLI::App& app, Context& context);
void addChop(CLI::App& app, Context& context);
void addDoctor(CLI::App& app, Context& context);
void addExplain(CLI::App& app, Context& context);
void addInfo(CLI::App& app, Context& context);
void addList(CLI::App& app, Context& context);
void addMinimize(CLI::App& app, Context& context);
void addOrigin(CLI::App& app, Context& context);
void addRecord(CLI::App& app, Context& context);
void addRemove(CLI::App& app, Context& context);
void addShow(CLI::App& app, Context& context);
void addSlice(CLI::App& app, Context& context);
void addVerify(CLI::App& app, Context& context);
void addWorker(CLI::App& app, Context& context);

} // namespace faultline::cli
