#include "replay/validate.h"

#include "abi/computed.h"
#include "program/operands.h"

#include <vector>

namespace faultline::replay {
namespace {

using fir::Op;

class Validator {
public:
  Validator(const fir::Image& image, const fir::Function& function) : image_(image), function_(function) {}

  Result<void> run() {
    if (!lies(function_.firstInstruction, function_.instructionCount, image_.instructions.size()) ||
        !lies(function_.firstBlock, function_.blockCount, image_.blocks.size()) ||
        !lies(function_.firstArgument, function_.argumentCount, image_.arguments.size()) ||
        function_.blockCount == 0 || function_.words > kMaxFrameWords ||
        function_.returnType >= image_.types.size())
      return bad("its parts lie outside of the file");
    if (function_.frameAlign == 0 || (function_.frameAlign & (function_.frameAlign - 1)) ||
        (function_.guardOffset != fir::kNone &&
         (function_.frameSize < 8 || function_.guardOffset > function_.frameSize - 8)))
      return bad("its frame is not well formed");
    for (const fir::Argument& a : image_.argumentsOf(function_)) {
      FL_CHECK(checkType(a.type));
      if (!lies(a.word, wordsOf(a.type), function_.words))
        return bad("an argument lies outside of its frame");
    }
    FL_CHECK(checkBlocks());
    return checkCycles();
  }

private:
  static bool lies(uint64_t first, uint64_t count, uint64_t size) {
    return first <= size && count <= size - first;
  }
  uint32_t wordsOf(uint32_t type) const { return image_.types[type].words; }
  Error bad(std::string_view what) const {
    return errorf("damaged FIR: function '{}': {}", image_.string(function_.name), what);
  }

  Result<void> checkType(uint32_t index) const {
    if (index >= image_.types.size()) return bad("a type does not exist");
    const fir::Type& t = image_.types[index];
    bool isVector = t.kind == fir::TypeKind::Vector;
    if (t.kind > fir::TypeKind::Aggregate || (!isVector && t.lanes != 1) || t.words > kMaxTypeWords ||
        t.bytes > uint64_t(t.words) * 8 ||
        (isVector && (t.element >= image_.types.size() || t.bits == 0 || t.bits > 128 ||
                      uint64_t(t.lanes) * t.bits > uint64_t(t.words) * 64 ||
                      image_.types[t.element].kind == fir::TypeKind::Vector)))
      return bad("a type is not well formed");
    if (isVector) return checkScalar(image_.types[t.element], t.bits);
    return t.kind == fir::TypeKind::Aggregate || t.kind == fir::TypeKind::Void ? Result<void>()
                                                                               : checkScalar(t, t.bits);
  }
  Result<void> checkScalar(const fir::Type& t, uint32_t bits) const {
    static constexpr uint32_t kBits[] = {0, 0, 16, 32, 64, 80, 128, 64};
    uint32_t expected = t.kind == fir::TypeKind::Int ? t.bits : kBits[unsigned(t.kind)];
    if (t.kind > fir::TypeKind::Pointer || bits != expected || t.bits != expected || t.words > 64 ||
        t.words != (expected + 63) / 64 || t.bytes != (expected + 7) / 8)
      return bad("a scalar type is not well formed");
    return {};
  }

  Result<void> checkBlocks() {
    uint32_t next = function_.firstInstruction;
    for (const fir::Block& b : image_.blocksOf(function_)) {
      if (b.first != next || b.count == 0 ||
          !lies(b.first, b.count, function_.firstInstruction + function_.instructionCount))
        return bad("its blocks do not follow each other");
      next += b.count;
      for (uint32_t k = 0; k < b.count; ++k) {
        const fir::Instruction& i = image_.instructions[b.first + k];
        FL_CHECK(checkInstruction(i));
        if (isTerminator(image_, i) != (k + 1 == b.count)) return bad("a block does not end where it should");
        if ((i.op == Op::Entry) != (b.first + k == function_.firstInstruction))
          return bad("Entry is not where it should be");
        bool header = i.op == Op::Phi || i.op == Op::LandingPad;
        bool afterHeader = k > 0 && image_.instructions[b.first + k - 1].op != Op::Phi;
        if (header && afterHeader) return bad("a phi or landing pad is not at the start of its block");
      }
    }
    if (next != function_.firstInstruction + function_.instructionCount)
      return bad("its blocks do not cover it");
    return {};
  }

  Result<void> checkInstruction(const fir::Instruction& i) const {
    if (i.op > Op::Trap || !lies(i.operands, i.operandCount, image_.operands.size()))
      return bad("an instruction is unknown or its operands lie outside of the file");
    FL_CHECK(checkType(i.type));
    FL_CHECK(checkShape(i));
    FL_CHECK(checkAux(i));
    if (i.dst != fir::kNone && !lies(i.dst, resultWords(image_, i), function_.words))
      return bad("a result lies outside of the frame");
    std::span<const fir::Operand> operands = image_.operandsOf(i);
    bool ok = true;
    forEachValue(image_, i, [&](uint32_t k, uint32_t words) { ok = ok && checkValue(operands[k], words); });
    if (!ok) return bad("an operand does not exist or has too few words");
    forEachSuccessor(image_, i,
                     [&](uint32_t block) { ok = ok && block != 0 && block < function_.blockCount; });
    if (!ok) return bad("a branch leads out of the function or to its entry");
    return checkSpecial(i, operands);
  }

  bool checkValue(fir::Operand o, uint32_t words) const {
    uint32_t index = fir::operandIndex(o);
    if (fir::operandKind(o) == fir::OperandKind::Word) return lies(index, words, function_.words);
    if (fir::operandKind(o) != fir::OperandKind::Constant || index >= image_.constants.size()) return false;
    const fir::Constant& c = image_.constants[index];
    if (c.wide != fir::kNone) return lies(c.wide, words, image_.wideWords.size());
    return words <= 1;
  }

  // Number of operands, and which of them must be Raw.
  Result<void> checkShape(const fir::Instruction& i) const {
    uint32_t n = i.operandCount;
    auto shape = [&](bool ok) -> Result<void> {
      if (!ok) return bad("an instruction has the wrong number of operands");
      return {};
    };
    switch (i.op) {
    case Op::Gep:
      return shape(n >= 1 && n % 3 == 1);
    case Op::Store:
    case Op::StoreVar:
    case Op::AtomicRMW:
    case Op::VaCopy:
    case Op::Insert:
    case Op::ExtractLane:
      return shape(n == 2);
    case Op::Copy:
    case Op::Fill:
    case Op::CmpXchg:
    case Op::InsertLane:
    case Op::Select:
    case Op::CondBr:
      return shape(n >= 3);
    case Op::Load:
    case Op::LoadVar:
    case Op::AllocaDyn:
    case Op::StackRestore:
    case Op::Br:
    case Op::Resume:
    case Op::Extract:
    case Op::ThreadLocal:
    case Op::VaStart:
    case Op::FNeg:
      return shape(n >= 1);
    case Op::Ret:
      return shape(n <= 1);
    case Op::Switch:
      return shape(n >= 2 && n % 2 == 0);
    case Op::Phi:
      return shape(n % 2 == 0);
    case Op::Shuffle:
      return shape(n == 2 + uint64_t(image_.types[i.type].lanes));
    case Op::Call:
    case Op::Intrinsic:
    case Op::IndirectBr:
      return shape(n >= 1);
    case Op::Entry:
    case Op::Alloca:
    case Op::StackSave:
    case Op::Unreachable:
    case Op::LandingPad:
    case Op::Opaque:
    case Op::Nop:
    case Op::Trap:
      return {};
    default:
      if (i.op >= Op::Trunc && i.op <= Op::BitCast) return shape(n == 1);
      return shape(n == 2); // arithmetic and comparisons
    }
  }

  Result<void> checkAux(const fir::Instruction& i) const {
    bool isType = (i.op >= Op::Trunc && i.op <= Op::Select) || i.op == Op::CmpXchg || i.op == Op::Insert ||
                  i.op == Op::ExtractLane || i.op == Op::InsertLane || i.op == Op::Shuffle ||
                  i.op == Op::Intrinsic;
    if (isType) FL_CHECK(checkType(i.aux));
    if (i.op != Op::Call) return {};
    if (i.aux >= image_.calls.size() || i.sub > uint8_t(fir::CallKind::LongJmp))
      return bad("a call is not well formed");
    const fir::CallInfo& c = image_.calls[i.aux];
    if ((c.normalBlock == fir::kNone) != (c.unwindBlock == fir::kNone))
      return bad("an invoke has one way only");
    return checkComputed(i, c.flags >> fir::kComputedShift);
  }

  // Its arguments and its result are a word each.
  Result<void> checkComputed(const fir::Instruction& i, uint32_t computed) const {
    if (computed == FL_COMPUTED_NONE) return {};
    uint32_t most = 4; // the callee and three
    if (computed >= FL_COMPUTED_COUNT || i.operandCount > most || image_.types[i.type].words != 1)
      return bad("a call is not one that replay can compute");
    return {};
  }

  Result<void> checkSpecial(const fir::Instruction& i, std::span<const fir::Operand> operands) const;
  bool checkArithmetic(const fir::Instruction& i) const;
  Result<void> checkCycles() const;

  const fir::Image& image_;
  const fir::Function& function_;
};

bool isIntegral(const fir::Type& t) {
  return t.kind == fir::TypeKind::Int || t.kind == fir::TypeKind::Pointer;
}
bool isFloating(const fir::Type& t) { return t.kind >= fir::TypeKind::Half && t.kind <= fir::TypeKind::Quad; }

// Kinds and lanes of the types that arithmetic combines.
bool Validator::checkArithmetic(const fir::Instruction& i) const {
  auto scalar = [&](const fir::Type& t) -> const fir::Type& {
    return t.kind == fir::TypeKind::Vector ? image_.types[t.element] : t;
  };
  const fir::Type& type = image_.types[i.type];
  const fir::Type& own = scalar(type);
  bool narrow = own.bits <= 128;
  if (i.op >= Op::Add && i.op <= Op::Xor) return isIntegral(own) && narrow;
  if (i.op >= Op::FAdd && i.op <= Op::FNeg) return isFloating(own);
  if (i.op == Op::ICmp) return isIntegral(own) && narrow && i.sub >= 32 && i.sub <= 41;
  if (i.op == Op::FCmp) return isFloating(own) && i.sub <= 15;
  if (i.op == Op::BitCast) return true;
  if (i.op >= Op::Trunc && i.op <= Op::FPExt) {
    const fir::Type& from = image_.types[i.aux];
    bool fromFp = i.op == Op::FPToUI || i.op == Op::FPToSI || i.op == Op::FPTrunc || i.op == Op::FPExt;
    bool toFp = i.op == Op::UIToFP || i.op == Op::SIToFP || i.op == Op::FPTrunc || i.op == Op::FPExt;
    return from.lanes == type.lanes && narrow && scalar(from).bits <= 128 &&
           (fromFp ? isFloating(scalar(from)) : isIntegral(scalar(from))) &&
           (toFp ? isFloating(own) : isIntegral(own));
  }
  return true;
}

Result<void> Validator::checkSpecial(const fir::Instruction& i,
                                     std::span<const fir::Operand> operands) const {
  const fir::Type& type = image_.types[i.type];
  auto require = [&](bool ok, const char* what) -> Result<void> {
    if (!ok) return bad(what);
    return {};
  };
  FL_CHECK(require(checkArithmetic(i), "an operation does not fit its type"));
  auto isWord = [&](uint32_t k) { return fir::operandKind(operands[k]) == fir::OperandKind::Word; };
  switch (i.op) {
  case Op::Gep:
  case Op::Alloca:
  case Op::AllocaDyn:
  case Op::StackSave:
    return require(type.words <= 1, "an address has more than one word");
  case Op::LoadVar:
    return require(isWord(0) && i.dst != fir::kNone, "a variable has no word");
  case Op::StoreVar:
    return require(isWord(0) && lies(fir::operandIndex(operands[0]), type.words, function_.words),
                   "a variable lies outside of the frame");
  case Op::Load:
  case Op::Store:
  case Op::AtomicRMW:
    return require(i.imm <= uint64_t(type.words) * 8, "an access is larger than its type");
  case Op::CmpXchg:
    return require(image_.types[i.aux].words >= type.words &&
                       i.imm < uint64_t(image_.types[i.aux].words) * 8 && i.imm >= type.bytes,
                   "the result of a compare-and-exchange is too small");
  case Op::Insert:
    return require(lies(i.imm, image_.types[i.aux].bytes, uint64_t(type.words) * 8),
                   "an insertion is out of range");
  case Op::Extract:
    return require(i.imm <= uint64_t(kMaxTypeWords) * 8, "an extraction is out of range");
  case Op::Shuffle:
  case Op::ExtractLane:
  case Op::InsertLane: {
    const fir::Type& vector = image_.types[i.aux];
    bool whole = vector.kind == fir::TypeKind::Vector;
    if (i.op == Op::Shuffle) whole = whole && type.kind == fir::TypeKind::Vector && type.bits == vector.bits;
    if (i.op == Op::ExtractLane) whole = whole && image_.types[vector.element].words <= type.words;
    if (i.op == Op::InsertLane) whole = whole && vector.words <= type.words;
    return require(whole, "a lane operation has no vector");
  }
  case Op::Select: {
    const fir::Type& condition = image_.types[i.aux];
    return require(condition.kind == fir::TypeKind::Int ||
                       (condition.kind == fir::TypeKind::Vector && type.kind == fir::TypeKind::Vector &&
                        condition.lanes == type.lanes && condition.bits == 1),
                   "a select's condition does not fit");
  }
  case Op::Switch:
    for (uint32_t k = 2; k < operands.size(); k += 2)
      FL_CHECK(require(checkValue(operands[k], type.words) && !isWord(k), "a case is no constant"));
    return require(type.words == 1, "a switch is over more than 64 bits");
  case Op::ThreadLocal:
    return require(fir::operandKind(operands[0]) == fir::OperandKind::Constant && type.words <= 1,
                   "a thread-local is no symbol");
  case Op::LandingPad:
    return require(i.dst == fir::kNone || type.words >= 2, "a landing pad's result is too small");
  case Op::Phi:
    return require(i.dst != fir::kNone || type.words == 0, "a phi has no result");
  case Op::Intrinsic: {
    if (i.sub > uint8_t(fir::Intrinsic::IsFPClass)) return bad("an intrinsic is unknown");
    const fir::Type& from = image_.types[i.aux];
    const fir::Type& element = from.kind == fir::TypeKind::Vector ? image_.types[from.element] : from;
    bool computable =
        isFloating(element) || (isIntegral(element) && element.bits >= 1 && element.bits <= 128);
    return require(computable && type.words >= 1, "an intrinsic does not fit its type");
  }
  default:
    return {};
  }
}

// Blocks without an epoch point must not form a cycle.
Result<void> Validator::checkCycles() const {
  std::span<const fir::Block> blocks = image_.blocksOf(function_);
  enum : uint8_t { New, Open, Done };
  std::vector<uint8_t> state(blocks.size(), New);
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> path;
  auto open = [&](uint32_t block) {
    state[block] = Open;
    std::vector<uint32_t> next;
    const fir::Block& b = blocks[block];
    forEachSuccessor(image_, image_.instructions[b.first + b.count - 1], [&](uint32_t s) {
      if (!blocks[s].epoch) next.push_back(s);
    });
    path.emplace_back(block, std::move(next));
  };
  for (uint32_t root = 0; root < blocks.size(); ++root) {
    if (state[root] != New) continue;
    open(root);
    while (!path.empty()) {
      if (path.back().second.empty()) {
        state[path.back().first] = Done;
        path.pop_back();
        continue;
      }
      uint32_t next = path.back().second.back();
      path.back().second.pop_back();
      if (state[next] == Open) return bad("a loop has no epoch point");
      if (state[next] == New) open(next);
    }
  }
  return {};
}

} // namespace

Result<void> validateFunction(const fir::Image& image, const fir::Function& function) {
  return Validator(image, function).run();
}

} // namespace faultline::replay
