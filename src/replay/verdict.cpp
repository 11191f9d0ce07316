#include "replay/verdict.h"

#include "base/file.h"
#include "base/process.h"

#include <algorithm>
#include <csignal>
#include <cstring>

namespace faultline::replay {
namespace {

constexpr std::chrono::seconds kOracleTime{300};

std::string_view lineAt(std::string_view text, uint64_t offset) {
  offset = std::min<uint64_t>(offset, text.size());
  size_t before = offset ? text.rfind('\n', offset - 1) : std::string_view::npos;
  size_t start = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(start, text.find('\n', start) - start);
}

std::string differenceText(const OutputDifference& d) {
  std::string stream = d.stream == 1 ? "standard output" : "standard error";
  switch (d.kind) {
  case OutputDifference::Missing:
    return fmt::format("Wrong output: {} ends after {} {} (line {}), expected {}", stream, d.offset,
                       d.offset == 1 ? "byte" : "bytes", d.line, quotedBytes(d.expected));
  case OutputDifference::Extra:
    return fmt::format("Wrong output: byte {} of {} (line {}) is {}, expected no more", d.offset + 1, stream,
                       d.line, quotedBytes(d.got));
  default:
    return fmt::format("Wrong output: byte {} of {} (line {}) is {}, expected {}", d.offset + 1, stream,
                       d.line, quotedBytes(d.got), quotedBytes(d.expected));
  }
}

// As a shell tells it.
int shellStatus(const recording::End& end) { return end.signal() ? 128 + end.signal() : end.exitStatus(); }

std::string firstLine(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  return std::string(line.substr(0, 200));
}

Verdict wrongOutput(OutputDifference difference, const recording::End& end) {
  Verdict v;
  v.kind = Verdict::WrongOutput;
  v.text = differenceText(difference);
  v.difference = std::move(difference);
  v.status = shellStatus(end);
  return v;
}

struct OracleFiles {
  TemporaryFile output, errors, expected;
};
Result<OracleFiles> oracleFiles(const Outcome& outcome) {
  FL_TRY(output, TemporaryFile::create(".stdout"));
  FL_TRY(errors, TemporaryFile::create(".stderr"));
  FL_TRY(expected, TemporaryFile::create(".expected"));
  FL_CHECK(writeFileAtomic(output.path(), *outcome.output));
  FL_CHECK(writeFileAtomic(errors.path(), outcome.errors.value_or("")));
  return OracleFiles{std::move(output), std::move(errors), std::move(expected)};
}

// An oracle that knows better may say what was right: in the file $FAULTLINE_EXPECTED, or on its standard
// output; the latter is believed to be that if it begins with the same line.
std::optional<std::string> expectedByOracle(const std::string& file, const std::string& said,
                                            const std::string& written) {
  if (!file.empty()) return file;
  size_t line = said.find('\n');
  if (line != std::string::npos && written.starts_with(std::string_view(said).substr(0, line + 1)))
    return said;
  return std::nullopt;
}

Result<Verdict> askOracle(const Outcome& outcome, const std::string& command) {
  if (!outcome.output)
    return errorf("the oracle needs the run's output, which this recording does not have: record it again "
                  "with --oracle or --capture");
  FL_TRY(files, oracleFiles(outcome));
  Command oracle{.argv = {"/bin/sh", "-c", command}, .directory = outcome.directory};
  oracle.environment = {{"FAULTLINE_STDOUT", files.output.path().string()},
                        {"FAULTLINE_STDERR", files.errors.path().string()},
                        {"FAULTLINE_EXPECTED", files.expected.path().string()},
                        {"FAULTLINE_STATUS", std::to_string(shellStatus(outcome.end))}};
  oracle.timeout = kOracleTime;
  FL_TRY(answer, runCommand(oracle));
  if (answer.status == 126 || answer.status == 127 || answer.signal || answer.timedOut)
    return errorf("the oracle gives no verdict: {}{}", command,
                  answer.err.empty() ? "" : ": " + firstLine(answer.err));
  Verdict v;
  if (answer.ok()) return v;
  FL_TRY(file, readFile(files.expected.path()));
  if (auto expected = expectedByOracle(file, answer.out, *outcome.output))
    if (auto difference = firstDifference(*outcome.output, *expected))
      return wrongOutput(std::move(*difference), outcome.end);
  v.kind = Verdict::Rejected;
  std::string said = firstLine(answer.err.empty() ? answer.out : answer.err);
  v.text = "The oracle rejects the run" + (said.empty() ? "" : ": " + said);
  v.status = shellStatus(outcome.end);
  return v;
}

} // namespace

std::string quotedBytes(std::string_view bytes) {
  std::string out = "\"";
  for (unsigned char c : bytes) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (c == '"' || c == '\\')
      out += {'\\', char(c)};
    else if (c < 0x20 || c >= 0x7f)
      out += fmt::format("\\x{:02x}", c);
    else
      out += char(c);
  }
  return out + '"';
}

std::optional<OutputDifference> firstDifference(std::string_view got, std::string_view expected,
                                                uint32_t stream) {
  auto [a, b] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  if (a == got.end() && b == expected.end()) return std::nullopt;
  OutputDifference out;
  out.stream = stream;
  out.offset = uint64_t(a - got.begin());
  out.line = 1 + uint64_t(std::count(got.begin(), a, '\n'));
  if (a != got.end()) out.got = *a;
  if (b != expected.end()) out.expected = *b;
  out.kind = out.got.empty()        ? OutputDifference::Missing
             : out.expected.empty() ? OutputDifference::Extra
                                    : OutputDifference::Wrong;
  out.gotLine = lineAt(got, out.offset);
  out.expectedLine = lineAt(expected, out.offset);
  return out;
}

std::string_view verdictName(Verdict::Kind kind) {
  constexpr std::string_view kNames[] = {"passed",       "crash",       "hang",    "wrong-output",
                                         "wrong-status", "exit-status", "rejected"};
  return kNames[kind];
}

Result<Verdict> judge(const Outcome& outcome, const recording::Expectation& expectation) {
  const recording::End& end = outcome.end;
  Verdict v;
  v.status = shellStatus(end);
  if (end.timedOut) {
    v.kind = Verdict::Hung;
    v.text = "Still running when its time was over";
    return v;
  }
  // The oracle has the last word, also on a crash; an expected status may stand for a signal.
  if (!expectation.oracle.empty()) {
    FL_TRY(answer, askOracle(outcome, expectation.oracle));
    if (answer.failed() && end.signal()) answer.kind = Verdict::Crashed;
    return answer;
  }
  if (end.signal() && v.status != expectation.status.value_or(0)) {
    v.kind = Verdict::Crashed;
    const char* name = sigdescr_np(end.signal());
    v.text = name ? name : fmt::format("Signal {}", end.signal());
    return v;
  }
  if (expectation.output) {
    if (!outcome.output)
      return errorf("there is no output to compare: record the run again with --expect or --capture");
    if (auto difference = firstDifference(*outcome.output, *expectation.output))
      return wrongOutput(std::move(*difference), end);
  }
  v.expectedStatus = expectation.status.value_or(0);
  if (v.status == v.expectedStatus) return v;
  v.kind = expectation.status ? Verdict::WrongStatus : Verdict::Status;
  v.text = expectation.status ? fmt::format("Wrong exit status: {}, expected {}", v.status, v.expectedStatus)
                              : fmt::format("Exit with status {}", v.status);
  return v;
}

} // namespace faultline::replay
