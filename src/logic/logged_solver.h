// Writes every request as a file that any SMT-LIB solver reads (0001.smt2, 0002.smt2 ...), before it is
// asked; the answer and its time follow as a comment. So a question that was too hard, or answered wrongly,
// can be taken away and looked at.
#pragma once

#include "logic/solver.h"

namespace faultline::logic {

// The folder exists. A file that cannot be written is left out: the answer does not depend on it.
std::unique_ptr<Solver> makeLogged(Terms& terms, std::unique_ptr<Solver> inner, std::string folder);

// The text of one file.
std::string smtLib(Terms& terms, std::span<const Term> conditions);

} // namespace faultline::logic
