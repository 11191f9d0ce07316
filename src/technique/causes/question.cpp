#include "technique/causes/question.h"

#include <algorithm>

namespace faultline::technique {

using logic::Definition;
using logic::Kind;
using logic::Term;

namespace {

Term wishFor(logic::Terms& t, Term value, Term was, const Wanted& wanted) {
  uint32_t width = t.width(value);
  switch (wanted.kind) {
  case Wanted::NotNull: // nothing lies below
    if (width == 64 && t.value(was) < 4096) return t.binary(Kind::ULessEqual, t.bits(64, 4096), value);
    break;
  case Wanted::NotZero:
    return t.negate(t.equal(value, t.bits(width, 0)));
  case Wanted::Equal:
    return t.equal(value,
                   t.bits(width, width < 64 ? wanted.value & ((uint64_t(1) << width) - 1) : wanted.value));
  case Wanted::EqualByte:
    if (width >= 8) return t.equal(t.extract(value, 0, 8), t.bits(8, wanted.value & 0xff));
    break;
  case Wanted::Other:
    break;
  }
  return t.negate(t.equal(value, was));
}

} // namespace

Result<CauseQuestion> causeQuestion(logic::InstanceTerms& terms, const depend::Question& question,
                                    uint32_t thread, const Wanted& wanted) {
  logic::Terms& t = terms.terms();
  depend::Instances& instances = terms.instances();
  CauseQuestion out;
  FL_TRY(at, instances.underWay(question.time, thread, question.frame));
  if (at == depend::kNoInstance)
    return errorf("the run stands in no function of the program where it failed");
  out.time = at;
  FL_TRY(x, instances.at(at));
  if (question.position) out.printedSince = question.position->before ? *question.position->before + 1 : 0;
  Definition passed;
  std::vector<Term> values;
  std::vector<std::pair<uint64_t, uint64_t>> memory = question.memory;
  for (const depend::BitRange& r : question.bits) memory.push_back({r.address, (r.first + r.count + 7) / 8});
  for (uint32_t operand : question.operands) {
    if (operand >= x.instruction->operandCount) continue;
    if (!memory.empty()) break; // the bytes are meant, not the pointer to them
    FL_TRY(value, terms.operand(at, operand, passed));
    if (value) values.push_back(value);
  }
  for (auto [address, size] : memory) {
    std::vector<uint8_t> bytes(size);
    FL_CHECK(instances.history().replay().seek(question.time));
    instances.history().replay().memoryView().read(address, bytes);
    FL_TRY(value, terms.memory(at, address, bytes, passed));
    values.push_back(value);
    uint64_t since = 0;
    for (Term v : t.variables(value))
      if (uint64_t time = terms.timeOf(v); time != depend::kNoInstance) since = std::max(since, time + 1);
    out.writtenSince = std::max(out.writtenSince.value_or(0), since);
  }
  for (uint32_t word : question.words) {
    FL_TRY(origin, instances.word(question.time, thread, question.frame, word));
    if (origin.kind != depend::Origin::Made) continue;
    FL_TRY(value, terms.made(origin.time));
    values.push_back(value);
  }
  // The byte is not where it should be: how much was printed before may be wrong.
  if (question.position && question.position->before) {
    FL_TRY(before, instances.at(*question.position->before));
    if (before.instruction->op == fir::Op::Call) {
      FL_TRY(given, terms.given(before.time, passed));
      values.insert(values.end(), given.begin(), given.end());
      passed.through.push_back(before.time);
    }
  }
  // Nothing that the program made: all that the call was given may have made it print something else.
  auto isMade = [&](Term value) { return !t.isConstant(value); };
  if (std::none_of(values.begin(), values.end(), isMade) && question.position &&
      x.instruction->op == fir::Op::Call) {
    FL_TRY(given, terms.given(at, passed));
    values.insert(values.end(), given.begin(), given.end());
  }
  Term wish{};
  for (Term value : values) {
    if (t.isConstant(value)) continue;
    Result<void> failed;
    Term was = t.evaluate(value, [&](Term v) {
      auto recorded = terms.valueOf(v);
      if (recorded) return *recorded;
      failed = recorded.error();
      return t.bits(t.width(v), 0);
    });
    FL_CHECK(failed);
    Term one = wishFor(t, value, was, values.size() == 1 ? wanted : Wanted{});
    wish = wish ? t.either(wish, one) : one;
  }
  if (wish) out.wish = Wish{wish, at, std::move(passed)};
  return out;
}

} // namespace faultline::technique
