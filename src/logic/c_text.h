// Terms as straight-line C that computes them, to the bit: every operation is a statement of its own on a
// number of exactly its width (`unsigned _BitInt(N)`, which clang has). Floats are computed by the compiler's
// own arithmetic.
//
//   CWriter c(terms);
//   c.assign(v52, value, "v52");       u32 v52 = ...;
//   c.text()                           with kPrelude before it: what a function's body can be made of
#pragma once

#include "logic/term.h"

#include <set>

namespace faultline::logic {

class CWriter {
public:
  explicit CWriter(Terms& terms) : t_(terms) {}

  void comment(std::string_view text);
  // From here on the variable is what `value` computes.
  void assign(Term variable, Term value);
  // A variable that nothing defines.
  void declare(Term variable, Term value, std::string_view why);
  // A statement that runs if the condition holds.
  void ifTrue(Term condition, std::string_view statement);

  const std::string& text() const { return out_; }
  // Types and functions that the text uses.
  std::string prelude() const;

private:
  std::string compute(Term root);
  std::string operation(Term x);
  std::string floating(Term x, const std::vector<std::string>& o);
  std::string type(uint32_t width);
  std::string signedType(uint32_t width);
  std::string constant(Term x);

  Terms& t_;
  std::string out_;
  std::set<uint32_t> widths_;
  std::unordered_map<Term, std::string, TermHash> names_;
  uint32_t fresh_ = 0;
};

} // namespace faultline::logic
