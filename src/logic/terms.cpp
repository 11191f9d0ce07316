#include "logic/simplify.h"
#include "logic/storage.h"

#include <algorithm>
#include <cassert>

namespace faultline::logic {

struct Terms::Impl {
  Storage storage;
  std::unordered_map<Term, std::vector<Term>, TermHash> variables;
  unsigned depth = 0; // of rules that are being followed
};

namespace {

constexpr unsigned kDeepest = 48;

bool isCondition(Kind kind) {
  return (kind >= Kind::Equal && kind <= Kind::SLessEqual) || (kind >= Kind::FEqual && kind <= Kind::FIsNan);
}
bool commutes(Kind kind) {
  switch (kind) {
  case Kind::Add:
  case Kind::Mul:
  case Kind::And:
  case Kind::Or:
  case Kind::Xor:
  case Kind::Equal:
  case Kind::FEqual:
    return true;
  default:
    return false;
  }
}

uint32_t resultWidth(const Terms& t, Kind kind, std::span<const Term> operands, uint32_t told) {
  if (isCondition(kind)) return 1;
  switch (kind) {
  case Kind::IfThenElse:
    return t.width(operands[1]);
  case Kind::Concat:
    return t.width(operands[0]) + t.width(operands[1]);
  case Kind::Extract:
  case Kind::ZeroExtend:
  case Kind::SignExtend:
  case Kind::FToSigned:
  case Kind::SignedToF:
  case Kind::UnsignedToF:
  case Kind::FToF:
    return told;
  default:
    return t.width(operands[0]);
  }
}

void check(const Terms& t, const Shape& s) {
  for (Term x : s.operands) assert(x && "a term is missing");
  switch (s.kind) {
  case Kind::IfThenElse:
    assert(t.width(s.a()) == 1 && t.width(s.b()) == t.width(s.c()));
    break;
  case Kind::Concat:
    break;
  case Kind::Extract:
    assert(s.width > 0 && s.parameter + s.width <= t.width(s.a()));
    break;
  case Kind::ZeroExtend:
  case Kind::SignExtend:
    assert(s.width >= t.width(s.a()));
    break;
  default:
    for (Term x : s.operands) assert(t.width(x) == t.width(s.a()));
    assert(s.kind >= Kind::And || s.width <= 128);
  }
}

Term simplify(Terms& t, const Shape& s) {
  if (s.kind <= Kind::AShr) return simplifyArithmetic(t, s);
  if (s.kind <= Kind::Not) return simplifyBitwise(t, s);
  if (s.kind <= Kind::SLessEqual) return simplifyCompare(t, s);
  if (s.kind <= Kind::SignExtend) return simplifyPieces(t, s);
  return {};
}

} // namespace

Terms::Terms() : impl_(std::make_unique<Impl>()) {}
Terms::~Terms() = default;

Term Terms::bits(uint32_t width, uint64_t value) { return constant(width, {&value, 1}); }

Term Terms::constant(uint32_t width, std::span<const uint64_t> words) {
  assert(width > 0);
  if (width <= 64) {
    uint64_t value = words.empty() ? 0 : words[0];
    if (width < 64) value &= (uint64_t(1) << width) - 1;
    return impl_->storage.constant(width, {&value, 1});
  }
  std::vector<uint64_t> own((width + 63) / 64, 0);
  std::copy_n(words.begin(), std::min(words.size(), own.size()), own.begin());
  if (width % 64) own.back() &= (uint64_t(1) << (width % 64)) - 1;
  return impl_->storage.constant(width, own);
}

Term Terms::variable(uint32_t width, uint64_t tag) {
  assert(width > 0);
  return impl_->storage.intern(Kind::Variable, width, {}, tag);
}

Term Terms::make(Kind kind, std::span<const Term> operands, uint32_t width, uint64_t parameter) {
  std::array<Term, 3> ordered;
  std::copy(operands.begin(), operands.end(), ordered.begin());
  if (commutes(kind)) { // constants second, so that rules need to look in one place only
    bool first = isConstant(ordered[0]), second = isConstant(ordered[1]);
    if (first != second ? first : ordered[1].id < ordered[0].id) std::swap(ordered[0], ordered[1]);
  }
  Shape shape{kind, resultWidth(*this, kind, operands, width), parameter, {ordered.data(), operands.size()}};
  check(*this, shape);
  if (std::all_of(operands.begin(), operands.end(), [&](Term x) { return isConstant(x); }))
    return fold(*this, shape);
  if (impl_->depth < kDeepest) {
    ++impl_->depth;
    Term simpler = simplify(*this, shape);
    --impl_->depth;
    if (simpler) {
      assert(this->width(simpler) == shape.width);
      return simpler;
    }
  }
  return impl_->storage.intern(kind, shape.width, shape.operands, parameter);
}

Term Terms::unary(Kind kind, Term a, uint32_t width, uint64_t parameter) {
  return make(kind, {&a, 1}, width, parameter);
}
Term Terms::binary(Kind kind, Term a, Term b) {
  std::array<Term, 2> both = {a, b};
  return make(kind, both);
}
Term Terms::negate(Term condition) {
  assert(width(condition) == 1);
  return unary(Kind::Not, condition);
}
Term Terms::both(Term a, Term b) { return binary(Kind::And, a, b); }
Term Terms::either(Term a, Term b) { return binary(Kind::Or, a, b); }
Term Terms::choose(Term condition, Term a, Term b) {
  std::array<Term, 3> all = {condition, a, b};
  return make(Kind::IfThenElse, all);
}
Term Terms::concat(Term high, Term low) { return binary(Kind::Concat, high, low); }
Term Terms::extract(Term t, uint32_t from, uint32_t width) { return unary(Kind::Extract, t, width, from); }
Term Terms::zeroExtend(Term t, uint32_t width) { return unary(Kind::ZeroExtend, t, width); }
Term Terms::signExtend(Term t, uint32_t width) { return unary(Kind::SignExtend, t, width); }

Kind Terms::kind(Term t) const { return impl_->storage[t].kind; }
uint32_t Terms::width(Term t) const { return impl_->storage[t].width; }
uint64_t Terms::parameter(Term t) const { return impl_->storage[t].parameter; }
std::span<const Term> Terms::operands(Term t) const {
  const Node& n = impl_->storage[t];
  return {n.operands.data(), n.count};
}
std::span<const uint64_t> Terms::words(Term constant) const {
  const Node& n = impl_->storage[constant];
  assert(n.kind == Kind::Constant);
  return n.wide ? std::span(n.wide, (n.width + 63) / 64) : std::span(&n.parameter, 1);
}
bool Terms::isTrue(Term t) const { return isConstant(t) && width(t) == 1 && value(t) == 1; }
bool Terms::isFalse(Term t) const { return isConstant(t) && width(t) == 1 && value(t) == 0; }
bool Terms::hasFloat(Term t) const { return impl_->storage[t].hasFloat; }
size_t Terms::size() const { return impl_->storage.size(); }

const std::vector<Term>& Terms::variables(Term t) {
  auto [at, isNew] = impl_->variables.try_emplace(t);
  if (!isNew) return at->second;
  std::vector<Term> open = {t};
  std::unordered_map<Term, bool, TermHash> seen = {{t, true}};
  while (!open.empty()) {
    Term x = open.back();
    open.pop_back();
    if (isVariable(x)) at->second.push_back(x);
    for (Term o : operands(x))
      if (impl_->storage[o].variables && seen.try_emplace(o, true).second) open.push_back(o);
  }
  std::sort(at->second.begin(), at->second.end(), [](Term a, Term b) { return a.id < b.id; });
  return at->second;
}

namespace {

// Rebuilds a term from its leaves up. `leaf` says what a term becomes, or nothing if its operands are to be
// looked at.
template <class Leaf> Term rebuild(Terms& t, Term root, Leaf&& leaf) {
  std::unordered_map<Term, Term, TermHash> done;
  auto known = [&](Term x) -> Term {
    auto at = done.find(x);
    if (at != done.end()) return at->second;
    Term made = leaf(x);
    if (made) done.emplace(x, made);
    return made;
  };
  std::vector<Term> open = {root};
  while (!open.empty()) {
    Term x = open.back();
    if (known(x)) {
      open.pop_back();
      continue;
    }
    std::array<Term, 3> made;
    std::span<const Term> operands = t.operands(x);
    bool ready = true;
    for (size_t k = 0; k < operands.size(); ++k)
      if (!(made[k] = known(operands[k]))) {
        open.push_back(operands[k]);
        ready = false;
      }
    if (!ready) continue;
    open.pop_back();
    bool same = std::equal(operands.begin(), operands.end(), made.begin());
    done[x] = same ? x : t.make(t.kind(x), {made.data(), operands.size()}, t.width(x), t.parameter(x));
  }
  return done.at(root);
}

} // namespace

Term Terms::substitute(Term t, const Map& map) {
  uint64_t concerned = 0;
  for (const auto& [from, to] : map) {
    assert(isVariable(from) && width(from) == width(to));
    concerned |= impl_->storage[from].variables;
  }
  return rebuild(*this, t, [&](Term x) -> Term {
    if (!(impl_->storage[x].variables & concerned)) return x;
    if (!isVariable(x)) return {};
    auto at = map.find(x);
    return at == map.end() ? x : at->second;
  });
}

Term Terms::evaluate(Term t, const std::function<Term(Term)>& valueOf) {
  return rebuild(*this, t, [&](Term x) -> Term {
    if (isConstant(x)) return x;
    if (!isVariable(x)) return {};
    Term value = valueOf(x);
    assert(value && isConstant(value) && width(value) == width(x));
    return value;
  });
}

} // namespace faultline::logic
