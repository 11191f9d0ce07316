#include "program/mod_ref.h"

#include "program/points_to_outside.h"

#include <algorithm>

namespace faultline::fir {
namespace {

// Kind and size of a scalar; 0 stands for anything. Pointers and integers of their size are the same.
uint32_t scalarType(const Type& type) {
  switch (type.kind) {
  case TypeKind::Pointer:
    return 8;
  case TypeKind::Int:
    return type.bits % 8 == 0 ? type.bytes : 0;
  case TypeKind::Float:
  case TypeKind::Double:
  case TypeKind::X87:
    return 0x100 | type.bytes;
  default:
    return 0;
  }
}
constexpr uint32_t kByte = 1;

uint64_t constantOr(const Image& m, Operand o, uint64_t otherwise) {
  if (operandKind(o) != OperandKind::Constant) return otherwise;
  const Constant& c = m.constants[operandIndex(o)];
  return c.symbol == kNone ? c.value : otherwise;
}

} // namespace

size_t ModRef::AccessHash::operator()(const Access& a) const {
  uint64_t h = a.place.target;
  for (uint64_t v : {a.place.container, a.place.member, a.type})
    h = (h ^ v) * 0x9e3779b97f4a7c15u ^ (h >> 29);
  return h;
}

ModRef::ModRef(std::span<const Image* const> images, Rule rule, const Noted& isNoted)
    : linked_(images), pointsTo_(linked_), calls_(linked_, pointsTo_), noReturn_(linked_, pointsTo_, calls_),
      rule_(rule), written_(images.size()), read_(images.size()), arguments_(images.size()),
      outside_(images.size()) {
  for (uint32_t k = 0; k < images.size(); ++k) collect(k, isNoted);
  aliases_.resize(accesses_.size());
  summarise();
}

uint32_t ModRef::intern(const Access& access) {
  if (access.place.target == kNone) return kNone;
  auto [it, added] = ids_.try_emplace(access, uint32_t(accesses_.size()));
  if (added) accesses_.push_back(access);
  return it->second;
}

void ModRef::collect(uint32_t image, const Noted& isNoted) {
  const Image& m = *linked_.images()[image];
  written_[image].assign(m.instructions.size(), kNone);
  for (uint32_t f = 0; f < m.functions.size(); ++f)
    for (uint32_t k = 0; k < m.functions[f].instructionCount; ++k) {
      uint32_t local = m.functions[f].firstInstruction + k;
      const Instruction& i = m.instructions[local];
      std::span<const Operand> operands = m.operandsOf(i);
      auto at = [&](uint32_t operand, uint64_t bytes, uint32_t type) {
        return intern({pointsTo_.place(image, f, operands[operand], bytes), type});
      };
      switch (i.op) {
      case Op::Load:
      case Op::Store:
      case Op::AtomicRMW:
      case Op::CmpXchg:
        written_[image][local] = at(0, m.types[i.type].bytes, scalarType(m.types[i.type]));
        break;
      case Op::Copy:
        read_[image][local] = at(1, constantOr(m, operands[2], 0), 0);
        [[fallthrough]];
      case Op::Fill:
        written_[image][local] = at(0, constantOr(m, operands[2], 0), 0);
        break;
      case Op::VaCopy:
        read_[image][local] = at(1, 24, 0);
        [[fallthrough]];
      case Op::VaStart:
        written_[image][local] = at(0, 24, 0);
        break;
      case Op::Call:
        collectCall(image, f, local, isNoted);
        break;
      default:
        break;
      }
    }
}

void ModRef::collectCall(uint32_t image, uint32_t function, uint32_t local, const Noted& isNoted) {
  const Image& m = *linked_.images()[image];
  const Instruction& i = m.instructions[local];
  std::span<const Operand> arguments = m.operandsOf(i).subspan(1);
  for (uint32_t k = 0; k < arguments.size(); ++k)
    if (uint32_t id = intern({pointsTo_.place(image, function, arguments[k], 0), 0}); id != kNone)
      arguments_[image][uint64_t(local) << 16 | k] = id;
  std::string_view name = pointsTo_.outsideName(image, local);
  if (m.calls[i.aux].symbol != kNone && name.empty()) return;
  // A call by pointer may be one of outside code too, of which nothing is known then.
  bool mayBeInside = name.empty() && !pointsTo_.callees(image, local).empty();
  if (mayBeInside) return;
  OutsideFunction known = outsideFunction(name, m.calls[i.aux].model);
  OutsideWrites writes;
  writes.isUnknown = !known.isKnown;
  writes.isNoted = isNoted && isNoted(name);
  for (uint32_t k = 0; k < arguments.size(); ++k)
    if (known.writes == kWritesAll || (known.writes >> std::min(k, 30u) & 1))
      if (uint32_t id = argumentAccessOf(image, local, k); id != kNone) writes.accesses.push_back(id);
  if (writes.isUnknown || writes.isNoted || !writes.accesses.empty())
    outside_[image][local] = std::move(writes);
}

uint32_t ModRef::sourceAccessOf(uint32_t image, uint32_t local) const {
  auto it = read_[image].find(local);
  return it == read_[image].end() ? kNone : it->second;
}

uint32_t ModRef::argumentAccessOf(uint32_t image, uint32_t local, uint32_t argument) const {
  auto it = arguments_[image].find(uint64_t(local) << 16 | argument);
  return it == arguments_[image].end() ? kNone : it->second;
}

// All classes that have this one as a part, over any number of steps.
const std::vector<PointsToClass>& ModRef::enclosing(PointsToClass c) const {
  auto [it, added] = enclosing_.try_emplace(c);
  if (!added) return it->second;
  std::vector<PointsToClass> found, open{c};
  while (!open.empty()) {
    PointsToClass at = open.back();
    open.pop_back();
    for (PointsToClass outer : pointsTo_.containers(at))
      if (std::find(found.begin(), found.end(), outer) == found.end())
        found.push_back(outer), open.push_back(outer);
  }
  std::sort(found.begin(), found.end());
  return enclosing_[c] = std::move(found);
}

bool ModRef::isWithin(PointsToClass inner, PointsToClass outer) const {
  if (inner == outer) return true;
  const std::vector<PointsToClass>& all = enclosing(inner);
  return std::binary_search(all.begin(), all.end(), outer);
}

// A member that is a record or a union may be accessed as anything.
uint32_t ModRef::memberType(const Access& a) const {
  const Field& f = linked_.field(a.place.member);
  if (f.inner) return 0;
  return scalarType(linked_.images()[linked_.key(a.place.member).image]->types[f.type]);
}

bool ModRef::typesFit(uint32_t a, uint32_t b) const {
  if (rule_ == Rule::None || a == 0 || b == 0 || a == b) return true;
  return rule_ == Rule::Standard && (a == kByte || b == kByte);
}

bool ModRef::overlap(const Access& a, const Access& b) const {
  const Place &x = a.place, &y = b.place;
  bool isMember = x.member != kNone, isOtherMember = y.member != kNone;
  if (isMember && isOtherMember) {
    const MemberKey &k = linked_.key(x.member), &l = linked_.key(y.member);
    if (x.container == y.container) {
      if (x.member == y.member || k.prefix == l.prefix) return true;
      if (pointsTo_.isUnion(x.container) && k.offset < l.offset + l.bytes && l.offset < k.offset + k.bytes)
        return true;
    }
    // One is the record that the other lies in.
    return (linked_.field(x.member).inner && isWithin(y.container, x.target)) ||
           (linked_.field(y.member).inner && isWithin(x.container, y.target));
  }
  if (isMember || isOtherMember) {
    const Access& member = isMember ? a : b;
    const Access& plain = isMember ? b : a;
    if (linked_.field(member.place.member).inner && isWithin(plain.place.target, member.place.target))
      return true;
    return typesFit(plain.type, memberType(member)) && (plain.place.target == member.place.target ||
                                                        isWithin(member.place.container, plain.place.target));
  }
  return typesFit(a.type, b.type) && (isWithin(x.target, y.target) || isWithin(y.target, x.target));
}

const DynamicBitset& ModRef::aliases(uint32_t access) const {
  std::unique_ptr<DynamicBitset>& known = aliases_[access];
  if (!known) {
    known = std::make_unique<DynamicBitset>();
    for (uint32_t k = 0; k < accesses_.size(); ++k)
      if (overlap(accesses_[access], accesses_[k])) known->insert(k);
  }
  return *known;
}

} // namespace faultline::fir
