// What the variables of an invariant are called in the source: the variable, member or element that an
// instance gave its value to. One of another function than where it is read says so: `main::n`.
#pragma once

#include "logic/instance_terms.h"
#include "logic/text.h"

namespace faultline::technique {

class InvariantNames {
public:
  explicit InvariantNames(logic::InstanceTerms& terms) : terms_(terms) {}

  // As read in the function that `time` is in.
  Result<std::string> text(logic::Term condition, uint64_t time);
  Result<std::vector<std::string>> texts(std::span<const logic::Term> conditions, uint64_t time);

private:
  struct Name {
    logic::Naming naming;
    uint32_t module = 0, function = fir::kNone;
    bool isGlobal = false;
  };
  Result<Name> nameOf(logic::Term variable);
  Result<Name> makeName(logic::Term variable);
  bool isGlobal(std::string_view text) const;
  // What lies there once the instance is executed; empty: nobody knows.
  Result<std::string> nameAt(uint64_t time, uint64_t address, uint64_t size);

  logic::InstanceTerms& terms_;
  std::unordered_map<logic::Term, Name, logic::TermHash> names_;
};

} // namespace faultline::technique
