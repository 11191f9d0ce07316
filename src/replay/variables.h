// The variables that a person standing at a frame's instruction could name, with where their values are.
//
// A variable is in scope if its block encloses the instruction, it is declared before it, and no inner block
// declares the same name. Arguments come first, in their order, then the others as they are declared.
#pragma once

#include "replay/value_place.h"

#include <string>
#include <vector>

namespace faultline::replay {

struct FrameVariable {
  std::string name;
  ValuePlace place;
  bool isArgument = false;
  bool isAvailable = true; // false: this instruction's code does not keep it
  uint32_t line = 0;       // where it is declared
};

std::vector<FrameVariable> variablesInScope(const FrameView& frame, const MemoryView& memory);

// By name, also those that the compiler made up; the innermost in scope, or else any of the function's.
std::optional<FrameVariable> findVariable(const FrameView& frame, const MemoryView& memory,
                                          std::string_view name);

// Globals that the function's code names, in order of their first mention.
std::vector<FrameVariable> globalsMentioned(const FrameView& frame, const SymbolView& symbols);

// A global of the frame's own module, else of any other.
std::optional<FrameVariable> findGlobal(const FrameView& frame, const SymbolView& symbols,
                                        std::string_view name);

// The variable's home in this frame; nothing if it has none now.
std::optional<ValuePlace> placeOfVariable(const FrameView& frame, const fir::Variable& variable,
                                          const MemoryView& memory);

FrameVariable describeVariable(const FrameView& frame, const fir::Variable& variable,
                               const MemoryView& memory);

// Where the frame stands: the location of its instruction, or of the nearest one before it that has one.
const fir::Location* locationOf(const FrameView& frame);

const fir::Function* functionOf(const FrameView& frame);
std::span<const fir::Variable> variablesOf(const FrameView& frame);

} // namespace faultline::replay
