#include "explain/likelihood.h"

#include <map>
#include <set>
#include <string_view>

namespace faultline::explain {
namespace {

// What stands nowhere in the source nobody wrote: members of a few bits are made of shifts and masks. Bits
// are put together in idioms, in which few err.
double ofOperator(const finding::CodeChange& c, const Weights& w) {
  static const std::set<std::string_view> kOfBits = {"&", "|", "^", "<<", ">>"};
  return (c.from.empty() || c.edit ? 1 : w.unwrittenOperator) * (kOfBits.contains(c.from) ? w.ofBits : 1);
}

// Where both sides are equal is where people err, and which side is which. That one of several is meant
// where an order stands, few mistake.
double ofComparison(const std::string& from, const std::string& to, const Weights& w) {
  auto isEquality = [](const std::string& o) { return o == "==" || o == "!="; };
  if (isEquality(from) == isEquality(to)) return 1;
  return isEquality(from) ? w.toOrder : w.toEquality;
}

} // namespace

double likelihood(const std::string& form) {
  static const std::map<std::string, double> kForms = {
      {"comparison", 1},  {"operator", 1},   {"sign", 0.8},     {"off-by-one", 0.9}, {"variable", 0.7},
      {"operand", 0.7},   {"guard", 0.65},   {"limit", 0.25},   {"next-to", 0.6},    {"index", 0.6},
      {"left-out", 0.55}, {"inserted", 0.5}, {"replaced", 0.5}, {"moved", 0.5},      {"constant", 0.4},
      {"always", 0.4},    {"returned", 0.3}, {"once", 0.3},     {"read", 0.2}};
  auto known = kForms.find(form);
  return known == kForms.end() ? 0.2 : known->second;
}

double likelihood(const finding::CodeChange& c, const Weights& w) {
  const double form = likelihood(c.form) * (c.isOfMany ? w.ofMany : 1);
  if (c.form == "comparison") return form * ofComparison(c.from, c.to, w);
  if (c.form == "operator" || c.form == "operand") return form * ofOperator(c, w);
  // Nobody writes `]` for the backslash before it.
  if (c.form == "next-to" && c.from.starts_with('\'')) return form * w.nextLetter;
  return form;
}

} // namespace faultline::explain
