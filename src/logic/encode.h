// What an instruction of FIR computes, as a term over its operands. The instruction's frame words are one bit
// vector: of a scalar as many bits as its type has, of anything wider 64 bits a word.
#pragma once

#include "logic/term.h"
#include "program/image.h"

namespace faultline::logic {

// The width of a value of this type as a term: Int: its bits; pointers 64; floats their format's; else 64 *
// words.
uint32_t widthOf(const fir::Type& type);

// operands: one term for each operand that is a value (program/operands.h), in order; others are empty terms.
// A Phi's and a Select's choice: Select is encoded as a whole, of a Phi the caller passes the operand that
// was taken on itself. Loads, stores, calls and branches are not for this function. Nothing: there is no
// theory for it (x87, 128-bit floats, frem, Opaque ...): the caller uses the recorded result and says so.
std::optional<Term> encode(Terms& terms, const fir::Image& image, const fir::Instruction& instruction,
                           std::span<const Term> operands);

// The condition under which the branch at the end of a block goes to `successor` (a block of the function).
// operand: what it decides by; constants: the numbers of the loaded module's constants (empty: as the image
// has them). Nothing: a computed goto, or a call that may unwind.
std::optional<Term> encodeBranch(Terms& terms, const fir::Image& image, const fir::Instruction& branch,
                                 Term operand, uint32_t successor, std::span<const uint64_t> constants);

} // namespace faultline::logic
