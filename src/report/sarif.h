// Answers as SARIF 2.1.0, for code scanning services, editors and CodeChecker. A result is a line of the
// source with a message; the way from it to the failure is its code flow, with the values in the texts,
// because viewers hide the properties that the standard has for them.
//
// Paths are relative to the repository, and a fingerprint is made of rule, function and the text of the line:
// a result stays the same one when lines are added elsewhere.
#pragma once

#include "finding/edit.h"
#include "report/source.h"

namespace faultline::report {

struct SarifStep {
  finding::Place place = {};
  std::string text = {};
};

struct SarifResult {
  std::string rule = {}; // one of sarif_rules.h
  std::string level = "warning";
  finding::Place place = {};
  std::string message = {};
  std::vector<SarifStep> flow = {}; // in order of time
  double rank = -1;                 // 0 to 100, the most interesting has most; negative: none
  finding::Json properties = finding::Json::object();
  std::optional<finding::Edit> edit = {}; // that makes the run pass
};

struct SarifLog {
  std::string technique = {};
  finding::ProgramInfo program = {};
  std::optional<finding::FailureInfo> failure = {};
  std::vector<SarifResult> results = {};
  std::vector<std::string> caveats = {}, tried = {},
                           smallest = {}; // what was not proven, what was done, the smallest input
};

struct SarifOptions {
  std::string version = {};
  std::string root = {}; // of the repository: absolute
  std::string workingDirectory = {};
  std::vector<std::string> command = {}; // how we were called
  // What code scanning services take, or show, of one run.
  size_t mostResults = 5000, mostSteps = 1000, longestText = 1000;
};

std::string renderSarif(const SarifLog& log, SourceFiles& files, const SarifOptions& options);

// The folder with .git above this one, or this one if there is none.
std::string repositoryRoot(const std::string& directory);

} // namespace faultline::report
