#include "logic/instance_terms.h"

#include "program/operands.h"

#include <algorithm>
#include <fmt/format.h>

namespace faultline::logic {

using depend::Executed;
using depend::Origin;
using depend::OriginPiece;
using fir::Op;

namespace {

// Tags of variables: an instance's is its time.
constexpr uint64_t kOther = uint64_t(1) << 63; // a value that was not taken
constexpr uint64_t kBytes = uint64_t(1) << 62; // bytes in memory, by number

bool isBranch(Op op) { return op == Op::CondBr || op == Op::Switch || op == Op::IndirectBr; }

} // namespace

uint32_t InstanceTerms::widthOfResult(const Executed& x) const {
  const fir::Type& type = x.image->types[x.instruction->type];
  switch (x.instruction->op) {
  case Op::ICmp:
  case Op::FCmp:
    return type.lanes > 1 || type.kind == fir::TypeKind::Vector ? type.lanes : 1;
  case Op::CmpXchg:
    return x.image->types[x.instruction->aux].words * 64;
  case Op::CondBr:
    return 1;
  case Op::IndirectBr:
    return 64;
  case Op::Fill:
    return 8;
  default:
    return std::max(1u, widthOf(type));
  }
}

uint32_t InstanceTerms::widthOfOperand(const Executed& x, uint32_t number) const {
  const fir::Instruction& i = *x.instruction;
  const fir::Type& own = x.image->types[i.type];
  auto aux = [&] { return widthOf(x.image->types[i.aux]); };
  switch (i.op) {
  case Op::Trunc:
  case Op::ZExt:
  case Op::SExt:
  case Op::FPToUI:
  case Op::FPToSI:
  case Op::UIToFP:
  case Op::SIToFP:
  case Op::FPTrunc:
  case Op::FPExt:
  case Op::BitCast:
    return aux();
  case Op::Select:
    return number == 0 ? aux() : widthOf(own);
  case Op::CondBr:
    return 1;
  case Op::Gep:
    return number % 3 == 1 && number + 1 < i.operandCount
               ? std::clamp(fir::operandIndex(x.image->operandsOf(i)[number + 2]), 1u, 64u)
               : 64;
  case Op::Load:
  case Op::Copy:
  case Op::Call:
  case Op::AllocaDyn:
  case Op::StackRestore:
  case Op::IndirectBr:
  case Op::VaStart:
  case Op::VaCopy:
    return 64;
  case Op::Fill:
    return number == 1 ? 8 : 64;
  case Op::Store:
  case Op::AtomicRMW:
  case Op::CmpXchg:
    return number == 0 ? 64 : widthOf(own);
  case Op::Extract:
    return 64 * uint32_t((i.imm + own.bytes + 7) / 8);
  case Op::Insert:
    return number == 0 ? widthOf(own) : aux();
  case Op::ExtractLane:
    return number == 0 ? aux() : 64;
  case Op::InsertLane:
    return number == 0   ? widthOf(own)
           : number == 1 ? widthOf(x.image->types[x.image->types[i.aux].element])
                         : 64;
  case Op::Shuffle:
    return aux();
  case Op::Intrinsic:
    return aux();
  default:
    return widthOf(own);
  }
}

Result<Term> InstanceTerms::made(uint64_t time) {
  FL_TRY(x, instances_.at(time));
  return terms_.variable(widthOfResult(x), time);
}

Result<Term> InstanceTerms::recorded(uint64_t time) {
  FL_TRY(x, instances_.at(time));
  uint32_t width = widthOfResult(x);
  if (x.words.empty() || width <= 64)
    return terms_.bits(width, width < 64 ? x.value & ((uint64_t(1) << width) - 1) : x.value);
  std::vector<uint64_t> words(x.words.begin(), x.words.end());
  words.resize((width + 63) / 64);
  return terms_.constant(width, words);
}

Result<Term> InstanceTerms::constant(const Executed& x, fir::Operand operand, uint32_t width) {
  const replay::LoadedModule& module = *instances_.history().replay().program().modules()[x.module];
  uint32_t index = fir::operandIndex(operand);
  const fir::Constant& c = x.image->constants[index];
  if (c.wide != fir::kNone) {
    std::vector<uint64_t> words((width + 63) / 64);
    for (size_t k = 0; k < words.size() && c.wide + k < x.image->wideWords.size(); ++k)
      words[k] = x.image->wideWords[c.wide + k];
    return terms_.constant(width, words);
  }
  uint64_t value = module.constants[index];
  return terms_.bits(width, width < 64 ? value & ((uint64_t(1) << width) - 1) : value);
}

namespace {

Term fit(Terms& terms, Term t, uint32_t width) {
  uint32_t has = terms.width(t);
  return has == width ? t : has < width ? terms.zeroExtend(t, width) : terms.extract(t, 0, width);
}

} // namespace

// One word of an operand. known: its recorded value, for what no instance made.
Result<Term> InstanceTerms::wordTerm(const Origin& first, uint32_t width, const Term* known,
                                     Definition& passed) {
  Origin origin = first;
  while (origin.kind == Origin::Argument) {
    passed.through.push_back(origin.time);
    FL_TRY(call, instances_.at(origin.time));
    if (origin.part >= call.instruction->operandCount) {
      origin = Origin{};
      break;
    }
    fir::Operand o = call.image->operandsOf(*call.instruction)[origin.part];
    if (fir::operandKind(o) == fir::OperandKind::Constant) return constant(call, o, width);
    // Words of one argument were made together.
    uint32_t word = origin.word;
    FL_TRY(next, instances_.operand(origin.time, origin.part));
    origin = next;
    (origin.kind == Origin::Argument ? origin.word : origin.part) += word;
  }
  if (origin.kind == Origin::Made) {
    FL_TRY(variable, made(origin.time));
    uint32_t has = terms_.width(variable);
    if (has > 64 && origin.part * 64 < has)
      variable = terms_.extract(variable, origin.part * 64, std::min(64u, has - origin.part * 64));
    return fit(terms_, variable, width);
  }
  passed.leaves.push_back({origin.kind == Origin::Start ? TermLeaf::Start : TermLeaf::Outside});
  if (origin.value) return fit(terms_, terms_.bits(64, *origin.value), width);
  return known ? fit(terms_, *known, width) : terms_.bits(width, 0);
}

Result<Term> InstanceTerms::operand(uint64_t time, uint32_t number, Definition& passed) {
  FL_TRY(x, instances_.at(time));
  fir::Operand o = x.image->operandsOf(*x.instruction)[number];
  uint32_t width = std::max(1u, widthOfOperand(x, number));
  if (fir::operandKind(o) == fir::OperandKind::Constant) return constant(x, o, width);
  if (fir::operandKind(o) != fir::OperandKind::Word) return Term{};
  Term known{};
  bool isShown = x.instruction->op == Op::Ret || x.instruction->op == Op::Store ||
                 x.instruction->op == Op::StoreVar || isBranch(x.instruction->op) ||
                 x.instruction->op == Op::LoadVar;
  if (isShown) known = terms_.bits(64, x.value);
  Term all{};
  for (uint32_t done = 0; done < width; done += 64) {
    uint32_t part = std::min(64u, width - done);
    FL_TRY(origin, instances_.operand(time, number, done / 64));
    FL_TRY(word, wordTerm(origin, part, known && done == 0 ? &known : nullptr, passed));
    all = all ? terms_.concat(word, all) : word;
  }
  return all;
}

// ---- memory

namespace {

Term recordedBytes(Terms& terms, std::span<const uint8_t> bytes) {
  std::vector<uint64_t> words((bytes.size() + 7) / 8);
  for (size_t k = 0; k < bytes.size(); ++k) words[k / 8] |= uint64_t(bytes[k]) << k % 8 * 8;
  return terms.constant(uint32_t(bytes.size() * 8), words);
}

// The part of pieces that lies in from..from+size.
std::vector<OriginPiece> cutPieces(const std::vector<OriginPiece>& pieces, uint64_t from, uint32_t size) {
  std::vector<OriginPiece> cut;
  for (const OriginPiece& p : pieces) {
    uint64_t first = std::max<uint64_t>(p.offset, from),
             last = std::min<uint64_t>(p.offset + p.size, from + size);
    if (first >= last) continue;
    OriginPiece part = p;
    part.origin.address += first - p.offset;
    if (part.origin.kind == Origin::Made) part.origin.part += uint32_t(first - p.offset);
    part.offset = uint32_t(first - from);
    part.size = uint32_t(last - first);
    cut.push_back(part);
  }
  return cut;
}

std::vector<uint8_t> bytesOf(const Terms& terms, Term constant) {
  std::vector<uint8_t> out(terms.width(constant) / 8);
  for (size_t k = 0; k < out.size(); ++k) out[k] = uint8_t(terms.words(constant)[k / 8] >> k % 8 * 8);
  return out;
}

} // namespace

Term InstanceTerms::bytesVariable(const OriginPiece& piece, std::span<const uint8_t> recorded) {
  std::vector<uint32_t>& known = bytesAt_[piece.origin.time];
  uint32_t width = piece.size * 8;
  for (uint32_t number : known) {
    const OriginPiece& p = bytes_[number].piece;
    if (p.origin.address == piece.origin.address && p.size == piece.size)
      return terms_.variable(width, kBytes | number);
  }
  known.push_back(uint32_t(bytes_.size()));
  bytes_.push_back({piece, recordedBytes(terms_, recorded)});
  return terms_.variable(width, kBytes | known.back());
}

Result<Definition> InstanceTerms::copied(const Bytes& bytes) {
  Definition out;
  const OriginPiece& p = bytes.piece;
  std::vector<uint8_t> recorded = bytesOf(terms_, bytes.recorded);
  FL_TRY(all, instances_.loaded(p.origin.time));
  FL_TRY(value, pieces(cutPieces(all, p.origin.part, p.size), p.size, recorded, out));
  out.value = value;
  return out;
}

// Nothing if they are too many, or the replay was asked too often.
Result<std::vector<uint8_t>> InstanceTerms::bytesBefore(uint64_t time, uint64_t address, uint64_t size) {
  constexpr uint64_t kMostBytes = 256, kMostInstructions = 200'000'000, kCheckpoint = 8'000'000;
  std::vector<uint8_t> bytes;
  if (!followsReadBytes_ || size > kMostBytes || replayed_ > kMostInstructions) return bytes;
  replayed_ += time % kCheckpoint;
  FL_CHECK(instances_.history().replay().seek(time));
  bytes.resize(size);
  instances_.history().replay().memoryView().read(address, bytes);
  return bytes;
}

// What the outside call was given for what flow number `flow` made.
Result<void> InstanceTerms::addGiven(const Executed& call, uint32_t number, std::vector<Term>& given,
                                     Definition& out) {
  FL_TRY(effect, instances_.effect(call.time));
  const depend::OutsideFlow& flow = effect->flows[number];
  for (uint32_t s = 0; s < flow.sources.size(); ++s) {
    const depend::FlowSource& source = flow.sources[s];
    switch (source.kind) {
    case depend::FlowSource::Argument:
      // A list of arguments belongs to a call further out.
      {
        uint64_t of = call.time;
        for (uint32_t k = 0; k < source.frame && of != depend::kNoInstance; ++k) {
          FL_TRY(outer, instances_.caller(of));
          of = outer;
        }
        if (of == depend::kNoInstance) break;
        FL_TRY(x, instances_.at(of));
        if (source.argument + 1 >= x.instruction->operandCount) break;
        if (source.frame) out.through.push_back(of);
        FL_TRY(term, operand(of, source.argument + 1, out));
        if (term && !terms_.isConstant(term)) given.push_back(term);
      }
      break;
    case depend::FlowSource::Memory: {
      FL_TRY(from, instances_.effectSource(call.time, number, s));
      for (const OriginPiece& p : from) {
        if (p.origin.kind != Origin::Made) continue;
        FL_TRY(maker, instances_.at(p.origin.time));
        bool isStore = maker.instruction->op == Op::Store || maker.instruction->op == Op::Fill;
        if (!isStore) { // a copy, or another outside call: what its bytes were the replay knows
          FL_TRY(bytes, bytesBefore(call.time, source.address + p.offset, p.size));
          if (bytes.empty()) {
            out.through.push_back(p.origin.time);
            continue;
          }
          constexpr uint32_t kWord = 8; // wider ones are no numbers
          for (uint32_t k = 0; k < p.size; k += kWord) {
            uint32_t size = std::min(kWord, p.size - k);
            for (const OriginPiece& part : cutPieces({p}, p.offset + k, size)) {
              FL_TRY(term, piece(part, std::span(bytes).subspan(k, size), out));
              if (term && !terms_.isConstant(term)) given.push_back(term);
            }
          }
          continue;
        }
        FL_TRY(variable, made(p.origin.time));
        given.push_back(variable);
      }
      break;
    }
    case depend::FlowSource::Input:
      out.leaves.push_back({TermLeaf::Input, call.time, source.address, source.size});
      break;
    case depend::FlowSource::World:
      out.leaves.push_back({TermLeaf::World, call.time});
      break;
    }
  }
  return {};
}

// What an outside call put there: byte by byte from other memory or the input, or else its recorded work.
Result<Definition> InstanceTerms::written(const Bytes& bytes, uint64_t number) {
  Definition out;
  const OriginPiece& p = bytes.piece;
  out.value = bytes.recorded;
  FL_TRY(call, instances_.at(p.origin.time));
  FL_TRY(effect, instances_.effect(call.time));
  out.isOpaque = true;
  out.opaque = effect ? effect->function + "()" : "a call";
  if (!effect) return out;
  for (uint32_t f = 0; f < effect->flows.size(); ++f) {
    const depend::OutsideFlow& flow = effect->flows[f];
    uint64_t address = p.origin.address;
    if (flow.toResult || address < flow.address || address >= flow.address + flow.size) continue;
    bool isBytewise =
        flow.isBytewise && flow.sources.size() == 1 && address + p.size <= flow.address + flow.size;
    uint64_t skip = address - flow.address;
    if (isBytewise && flow.sources[0].kind == depend::FlowSource::Input) {
      out.isOpaque = false;
      out.leaves.push_back({TermLeaf::Input, call.time, flow.sources[0].address + skip, p.size});
      return out;
    }
    if (isBytewise && flow.sources[0].kind == depend::FlowSource::Memory) {
      FL_TRY(all, instances_.effectSource(call.time, f, 0));
      std::vector<uint8_t> recorded = bytesOf(terms_, bytes.recorded);
      FL_TRY(value, pieces(cutPieces(all, skip, p.size), p.size, recorded, out));
      out.value = value;
      out.isOpaque = false;
      return out;
    }
    std::vector<Term> given;
    FL_CHECK(addGiven(call, f, given, out));
    FL_TRY(value, ifGiven(given, bytes.recorded, kOther | kBytes | number));
    out.value = value;
    return out;
  }
  return out;
}

Result<Definition> InstanceTerms::defineBytes(const Bytes& bytes, uint64_t number) {
  FL_TRY(x, instances_.at(bytes.piece.origin.time));
  if (x.instruction->op == Op::Copy) return copied(bytes);
  if (x.instruction->op == Op::Call) return written(bytes, number);
  Definition out; // an atomic update, a list of arguments: what was read stands for it
  out.isOpaque = true;
  out.opaque = "an update of memory";
  out.value = bytes.recorded;
  return out;
}

Result<Term> InstanceTerms::piece(const OriginPiece& piece, std::span<const uint8_t> recorded,
                                  Definition& passed) {
  const Origin& origin = piece.origin;
  uint32_t width = piece.size * 8;
  auto leaf = [&](TermLeaf::Kind kind) {
    passed.leaves.push_back({kind, depend::kNoInstance, origin.address, piece.size});
    return recordedBytes(terms_, recorded);
  };
  if (origin.kind == Origin::Initial) return leaf(TermLeaf::Initial);
  if (origin.kind == Origin::Argument && piece.size <= 8) { // a variable one
    Term known = recordedBytes(terms_, recorded);
    Origin word = origin;
    return wordTerm(word, width, &known, passed);
  }
  if (origin.kind != Origin::Made) return leaf(TermLeaf::Outside);
  FL_TRY(x, instances_.at(origin.time));
  switch (x.instruction->op) {
  case Op::Store: {
    FL_TRY(variable, made(origin.time));
    uint32_t stored = std::max(uint32_t(x.instruction->imm) * 8, (origin.part + piece.size) * 8);
    return terms_.extract(fit(terms_, variable, stored), origin.part * 8, width);
  }
  case Op::Fill: {
    FL_TRY(variable, made(origin.time));
    Term all = variable;
    for (uint32_t k = 1; k < piece.size; ++k) all = terms_.concat(variable, all);
    return all;
  }
  default:
    return bytesVariable(piece, recorded);
  }
}

Result<Term> InstanceTerms::pieces(const std::vector<OriginPiece>& pieces, uint32_t bytes,
                                   std::span<const uint8_t> recorded, Definition& passed) {
  Term all{};
  uint32_t done = 0;
  for (const OriginPiece& p : pieces) {
    if (p.offset >= bytes) break;
    OriginPiece cut = p;
    cut.size = std::min(p.size, bytes - p.offset);
    FL_TRY(term, piece(cut, recorded.subspan(p.offset, cut.size), passed));
    all = all ? terms_.concat(term, all) : term;
    done = p.offset + cut.size;
  }
  if (done < bytes) { // what nobody is known to have written
    Term rest = recordedBytes(terms_, recorded.subspan(done));
    all = all ? terms_.concat(rest, all) : rest;
  }
  return all;
}

Result<Term> InstanceTerms::memory(uint64_t time, uint64_t address, std::span<const uint8_t> recorded,
                                   Definition& passed) {
  FL_TRY(found, instances_.memory(time, address, recorded.size()));
  return pieces(found, uint32_t(recorded.size()), recorded, passed);
}

// ---- definitions

Result<Definition> InstanceTerms::load(const Executed& x) {
  Definition out;
  auto bytes = uint32_t(x.instruction->imm);
  std::vector<uint8_t> recorded(bytes);
  for (uint32_t k = 0; k < bytes; ++k) {
    uint64_t word = x.words.empty() ? (k < 8 ? x.value : 0) : k / 8 < x.words.size() ? x.words[k / 8] : 0;
    recorded[k] = uint8_t(word >> k % 8 * 8);
  }
  FL_TRY(found, instances_.loaded(x.time));
  FL_TRY(term, pieces(found, bytes, recorded, out));
  out.value = fit(terms_, term, widthOfResult(x));
  return out;
}

// What was taken, if the branch that led there went the way it did; else anything.
Result<Definition> InstanceTerms::choose(const Executed& x) {
  Definition out;
  FL_TRY(choice, instances_.choice(x.time));
  FL_TRY(value, operand(x.time, choice.operand, out));
  out.value = value;
  if (choice.edge == depend::kNoInstance) return out;
  FL_TRY(decided, decision(choice.edge, out));
  if (!decided) return out;
  out.through.push_back(choice.edge);
  out.value = terms_.choose(*decided, value, terms_.variable(terms_.width(value), x.time | kOther));
  return out;
}

// What was recorded, if everything that the step was given is what it was.
Result<Term> InstanceTerms::ifGiven(std::span<const Term> given, Term recorded, uint64_t tag) {
  constexpr size_t kMost = 256;
  if (given.empty()) return recorded;
  Term same = terms_.yes();
  for (size_t k = 0; k < given.size() && k < kMost; ++k) {
    Result<void> failed;
    Term was = terms_.evaluate(given[k], [&](Term v) {
      auto value = valueOf(v);
      if (value) return *value;
      failed = value.error();
      return terms_.bits(terms_.width(v), 0);
    });
    FL_CHECK(failed);
    same = terms_.both(same, terms_.equal(given[k], was));
  }
  return terms_.choose(same, recorded, terms_.variable(terms_.width(recorded), tag));
}

Result<Definition> InstanceTerms::opaque(const Executed& x, std::string what) {
  std::vector<Term> given;
  Definition out;
  out.isOpaque = true;
  out.opaque = std::move(what);
  Result<void> failed;
  fir::forEachValue(*x.image, *x.instruction, [&](uint32_t k, uint32_t) {
    if (!failed) return;
    auto term = operand(x.time, k, out);
    if (!term)
      failed = term.error();
    else if (*term && !terms_.isConstant(*term))
      given.push_back(*term);
  });
  FL_CHECK(failed);
  out.leaves.clear();
  FL_TRY(value, recorded(x.time));
  FL_TRY(made, ifGiven(given, value, kOther | x.time));
  out.value = made;
  return out;
}

Result<Definition> InstanceTerms::outsideCall(const Executed& x) {
  FL_TRY(effect, instances_.effect(x.time));
  Definition out;
  out.isOpaque = true;
  FL_TRY(value, recorded(x.time));
  out.value = value;
  if (!effect) {
    out.opaque = "a call";
    return out;
  }
  out.opaque = effect->function + "()";
  std::vector<Term> given;
  for (uint32_t f = 0; f < effect->flows.size(); ++f)
    if (effect->flows[f].toResult) FL_CHECK(addGiven(x, f, given, out));
  FL_TRY(made, ifGiven(given, value, kOther | x.time));
  out.value = made;
  return out;
}

Result<Definition> InstanceTerms::makeDefinition(uint64_t time) {
  FL_TRY(x, instances_.at(time));
  const fir::Instruction& i = *x.instruction;
  Definition out;
  switch (i.op) {
  case Op::Load:
    return load(x);
  case Op::Phi:
    return choose(x);
  case Op::Store:
  case Op::StoreVar: {
    FL_TRY(value, operand(time, 1, out));
    out.value = value;
    return out;
  }
  case Op::Fill: {
    FL_TRY(value, operand(time, 1, out));
    out.value = value;
    return out;
  }
  case Op::LoadVar:
  case Op::Ret:
  case Op::CondBr:
  case Op::Switch:
  case Op::IndirectBr: {
    if (i.operandCount == 0) {
      out.value = terms_.bits(1, 0);
      return out;
    }
    FL_TRY(value, operand(time, 0, out));
    out.value = value;
    return out;
  }
  case Op::Call:
    return outsideCall(x);
  case Op::Alloca:
  case Op::AllocaDyn:
  case Op::StackSave:
  case Op::ThreadLocal: {
    FL_TRY(value, recorded(time));
    out.value = value;
    return out;
  }
  case Op::LandingPad: { // what was caught is what the call before it threw
    FL_TRY(caught, opaque(x, "an exception"));
    if (instances_.isExecuted(time - 1)) {
      FL_TRY(thrower, instances_.at(time - 1));
      if (thrower.instruction->op == Op::Call || thrower.instruction->op == Op::Resume)
        caught.through.push_back(time - 1);
      if (thrower.instruction->op == Op::Resume) { // after the destructors: what they were told
        FL_TRY(before, operand(time - 1, 0, caught));
        FL_TRY(was, recorded(time));
        if (before) {
          FL_TRY(value, ifGiven(std::span(&before, 1), was, kOther | time));
          caught.value = value;
        }
      }
    }
    return caught;
  }
  case Op::AtomicRMW:
  case Op::CmpXchg:
  case Op::Opaque:
    return opaque(x, "an operation outside of the theory");
  default:
    break;
  }
  std::vector<Term> operands(i.operandCount);
  Result<void> failed;
  fir::forEachValue(*x.image, i, [&](uint32_t k, uint32_t) {
    if (!failed) return;
    auto term = operand(time, k, out);
    if (term)
      operands[k] = *term;
    else
      failed = term.error();
  });
  FL_CHECK(failed);
  auto term = encode(terms_, *x.image, i, operands);
  if (!term) return opaque(x, "an operation outside of the theory");
  out.value = fit(terms_, *term, widthOfResult(x));
  return out;
}

uint64_t InstanceTerms::timeOf(Term variable) const {
  uint64_t tag = terms_.parameter(variable);
  if (tag & kOther) return depend::kNoInstance;
  return tag & kBytes ? bytes_[tag & ~kBytes].piece.origin.time : tag;
}

std::optional<uint64_t> InstanceTerms::addressOf(Term variable) const {
  uint64_t tag = terms_.parameter(variable);
  if ((tag & kOther) || !(tag & kBytes)) return std::nullopt;
  return bytes_[tag & ~kBytes].piece.origin.address;
}

Result<Term> InstanceTerms::valueOf(Term variable) {
  uint64_t tag = terms_.parameter(variable);
  if (tag & kOther) return terms_.bits(terms_.width(variable), 0);
  if (tag & kBytes) return bytes_[tag & ~kBytes].recorded;
  return recorded(tag);
}

// A definition must give what was recorded, made of what was recorded.
Result<bool> InstanceTerms::holdsAsRecorded(Term variable, Term value) {
  FL_TRY(was, valueOf(variable));
  Result<void> failed;
  Term found = terms_.evaluate(value, [&](Term v) {
    auto recorded = valueOf(v);
    if (recorded) return *recorded;
    failed = recorded.error();
    return terms_.bits(terms_.width(v), 0);
  });
  FL_CHECK(failed);
  return found == was;
}

Result<const Definition*> InstanceTerms::define(Term variable) {
  uint64_t tag = terms_.parameter(variable);
  auto it = definitions_.find(tag);
  if (it == definitions_.end()) {
    Definition made;
    if (tag & kBytes) {
      FL_TRY(bytes, defineBytes(Bytes(bytes_[tag & ~kBytes]), tag & ~kBytes));
      made = std::move(bytes);
    } else {
      FL_TRY(instance, makeDefinition(tag));
      made = std::move(instance);
    }
    FL_TRY(holds, holdsAsRecorded(variable, made.value));
    if (!holds) { // something wrote unseen: what was recorded stands, and is not explained
      FL_TRY(value, valueOf(variable));
      made = Definition{};
      made.value = value;
      made.isOpaque = true;
      made.opaque = "a value that changed unseen";
      made.leaves.push_back({TermLeaf::Outside});
      ++unseen_;
    }
    std::sort(made.through.begin(), made.through.end());
    made.through.erase(std::unique(made.through.begin(), made.through.end()), made.through.end());
    it = definitions_.emplace(tag, std::move(made)).first;
  }
  return &it->second;
}

Result<std::vector<Term>> InstanceTerms::given(uint64_t call, Definition& passed) {
  FL_TRY(x, instances_.at(call));
  FL_TRY(effect, instances_.effect(call));
  std::vector<Term> all;
  for (uint32_t f = 0; effect && f < effect->flows.size(); ++f)
    if (effect->flows[f].toResult) FL_CHECK(addGiven(x, f, all, passed));
  for (uint32_t k = 1; k < x.instruction->operandCount; ++k) {
    FL_TRY(term, operand(call, k, passed));
    if (term && !terms_.isConstant(term)) all.push_back(term);
  }
  return all;
}

// ---- branches

Result<std::optional<uint32_t>> InstanceTerms::successor(uint64_t branch) {
  FL_TRY(x, instances_.at(branch));
  std::span<const fir::Operand> operands = x.image->operandsOf(*x.instruction);
  const replay::LoadedModule& module = *instances_.history().replay().program().modules()[x.module];
  switch (x.instruction->op) {
  case Op::CondBr:
    return std::optional(fir::operandIndex(operands[x.value & 1 ? 1 : 2]));
  case Op::Switch:
    for (size_t k = 2; k + 1 < operands.size(); k += 2)
      if (module.constants[fir::operandIndex(operands[k])] == x.value)
        return std::optional(fir::operandIndex(operands[k + 1]));
    return std::optional(fir::operandIndex(operands[1]));
  default:
    return std::optional<uint32_t>();
  }
}

Result<std::optional<Term>> InstanceTerms::decision(uint64_t branch, Definition& passed) {
  FL_TRY(x, instances_.at(branch));
  if (!isBranch(x.instruction->op)) return std::optional<Term>();
  FL_TRY(value, operand(branch, 0, passed));
  FL_TRY(next, successor(branch));
  if (!next) return std::optional(terms_.equal(value, terms_.bits(terms_.width(value), x.value)));
  const replay::LoadedModule& module = *instances_.history().replay().program().modules()[x.module];
  return encodeBranch(terms_, *x.image, *x.instruction, value, *next, module.constants);
}

} // namespace faultline::logic
