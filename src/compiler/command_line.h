// What a clang command line asks for, as far as the wrapper must know: does it compile or link anything, from
// which inputs, into which file. Everything else stays uninterpreted and goes to clang as it stands.
//
//   parseCommandLine({"-O2", "-x", "c", "a.txt", "b.o", "-lm", "-o", "prog"})
//   → mode Link, inputs a.txt (Source), b.o (LinkerInput), -lm (Library), output "prog"
#pragma once

#include "base/result.h"

#include <span>
#include <string>
#include <vector>

namespace faultline::compiler {

enum class Language { C, Cxx };

enum class Mode {
  PassThrough, // asks for something that makes no object or program of ours (-E, --version, a header ...)
  Assembly,    // -S
  Object,      // -c
  Link,
};

enum class InputKind {
  Source,      // C or C++, preprocessed or not
  Assembler,   // .s, .S
  LinkerInput, // objects, archives, shared libraries, linker scripts
  Library,     // -lNAME
};

struct Input {
  InputKind kind = InputKind::LinkerInput;
  std::string text; // the path, or the library's name without -l
  size_t arg = 0;   // its first word in the expanded arguments
  size_t width = 1; // how many words it takes ("-l" "m" takes two)
  int piece = -1;   // its place among the comma-separated pieces of a -Wl argument, or -1
};

struct CommandLine {
  Mode mode = Mode::PassThrough;
  std::string reason; // why it is passed through
  std::vector<Input> inputs;
  std::vector<std::string> libraryDirs; // -L, in order
  std::string output;                   // -o; empty when not given
  bool shared = false;
  bool fullyStatic = false; // -static, -static-pie
  bool verbose = false;     // -v
  bool readsStdin = false;
  bool colorGiven = false; // the user chose whether diagnostics have colours

  bool hasSources() const;
};

// What gcc's LTO has and clang's has not, in clang's words: -flto=4 becomes -flto=auto, and what only tells
// gcc how to go about it is left out.
std::vector<std::string> withoutGccLto(std::span<const std::string> args);

// `args` are expanded and without the compiler's own name.
CommandLine parseCommandLine(std::span<const std::string> args);

// Replaces @file by its words, nested, quoted as clang reads them. An @file that does not exist stays a word.
Result<std::vector<std::string>> expandResponseFiles(std::span<const std::string> args);

} // namespace faultline::compiler
