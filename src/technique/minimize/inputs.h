// All that a program is given and that may be made smaller: standard input, files, words of its command line,
// variables of its environment; and a part of it, as a subset of pieces.
#pragma once

#include "experiment/run.h"
#include "technique/minimize/search.h"
#include "technique/minimize/units.h"

namespace faultline::technique {

struct InputSource {
  enum Kind { StandardInput, File, Argument, Variable };
  Kind kind = StandardInput;
  std::string name = {};  // path as the program has it; NAME of a variable
  std::string path = {};  // File: absolute
  size_t argument = 0;    // Argument: its number in argv
  std::string bytes = {}; // a variable's value
  bool isPresent = true;  // a word or a variable may be left out as a whole
  bool isFixed = false;   // a word that names one of the files: left out or not, but not cut

  bool canBeAbsent() const { return kind == Argument || kind == Variable; }
  // "standard input", "file data.txt", "argument 2", "variable HOME".
  std::string text() const;
  bool operator==(const InputSource&) const = default;
};

using InputSet = std::vector<InputSource>;
// Bytes, of what is present.
size_t sizeOf(const InputSet& inputs);
TrialKey keyOf(const InputSet& inputs);

// What the run is given instead of what `run` has.
experiment::RunSpec applied(experiment::RunSpec run, const InputSet& inputs);

// A piece of one of the sources. The piece with `isPresence` is also the word or variable itself: without it
// there is none.
struct Part {
  uint32_t source = 0;
  Piece piece = {};
  bool isPresence = false;
};

// All pieces of that kind. What is no text is cut only into bytes, and is not in the answer otherwise, unless
// it is `cutsAll` that is wanted.
std::vector<Part> partsOf(const InputSet& inputs, const Unit& unit, bool cutsAll = false);
// Of the pieces only these; what is in no piece stays.
InputSet keptOf(const InputSet& inputs, const std::vector<Part>& parts, const Subset& kept);

} // namespace faultline::technique
