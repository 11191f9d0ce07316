// The programs of tests/programs, each about one hard thing, with what is true of it written at its top:
//
//   // A null pointer is read, three calls deep.    what it is about; then an empty line, then directives
//   //
//   // args: 3 foo                 words for the command line
//   // stdin: text\nmore\x01       else empty
//   // ends: signal SIGSEGV        or: exit 3 (else: exit 0)
//   // kind: crash                 what `show` calls the failure, and that there is one
//   // message: n is NULL          part of what it says about it
//   // stderr: free(): invalid     part of what the program says on standard error
//   // fails-in: descend           the function, where the line is not certain
//   // memory: use-after-free      the first error that `memory` finds (else: it finds none)
//   // builds: O0,O2               one test for each (see kBuilds; else: O0)
//   // flags: -pthread -lm         for the compiler, after the sources
//   // with: parts/other.c         further sources
//   // library: parts/part.c       a shared library built by us; plain-library: by clang
//   // stdout: undefined           do not compare what is printed
//   // ordinary-ends: undefined    nor how the ordinary program ends
//
// The line at which it fails is marked there: `*p = 1; // <- fails in store`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::test {

struct ProgramCase {
  std::string path; // of the source
  std::string file; // its name
  std::string build;
  std::vector<std::string> buildFlags;

  std::vector<std::string> args, flags, with;
  std::string input;
  std::string ends = "exit 0";
  std::string kind, message, error, memory;
  std::string failingFunction;
  std::optional<int> failingLine;
  std::string library;
  bool libraryIsOurs = false;
  bool outputIsDefined = true, ordinaryEndIsDefined = true;

  bool isCpp() const { return file.ends_with(".cpp"); }
  std::string name() const; // a GoogleTest name: crash_null_read_c_O2
};

// One for each build of each program in the folder, by name. Throws std::runtime_error for a directive that
// it does not know.
std::vector<ProgramCase> programCases(const std::string& folder);

// For one source; exposed for the above.
std::vector<ProgramCase> parseProgram(const std::string& path, std::string_view text);

} // namespace faultline::test
