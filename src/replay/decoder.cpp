#include "replay/decoder.h"

#include "program/operands.h"
#include "replay/fast_decoder.h"
#include "replay/operations.h"
#include "replay/validate.h"

#include <algorithm>

namespace faultline::replay {

using fir::Op;

uint32_t Decoder::blockOf(uint32_t index) const {
  uint32_t local = f_.fir->firstInstruction + index;
  auto it = std::upper_bound(blocks_.begin(), blocks_.end(), local,
                             [](uint32_t id, const fir::Block& b) { return id < b.first; });
  return uint32_t(it - blocks_.begin()) - 1;
}

uint32_t Decoder::bodyOf(uint32_t block) const {
  uint32_t index = firstOf(block);
  while (at(index).op == Op::Phi || at(index).op == Op::LandingPad) ++index;
  return index; // a block has a terminator
}

Source Decoder::source(fir::Operand o) const {
  uint32_t index = fir::operandIndex(o);
  if (!isConstant(o)) return {nullptr, index};
  uint32_t wide = image_.constants[index].wide;
  return {wide == fir::kNone ? &f_.module->constants[index] : &image_.wideWords[wide], 0};
}

Operation& Decoder::operation(uint32_t index) {
  const fir::Instruction& i = at(index);
  Operation& op = f_.operations.emplace_back();
  op.instruction = &i;
  op.function = &f_;
  op.index = index;
  op.type = &type(i.type);
  op.element = op.type->kind == fir::TypeKind::Vector ? &type(op.type->element) : op.type;
  op.auxType = i.aux < image_.types.size() ? &type(i.aux) : op.type;
  op.dst = i.dst;
  op.dstWords = resultWords(image_, i);
  op.run = operationFor(i);
  for (fir::Operand o : image_.operandsOf(i)) {
    // Operands of an Opaque are not values that anyone reads, so nobody checked them.
    bool exists =
        !isConstant(o) || (fir::operandIndex(o) < f_.module->constants.size() && i.op != Op::Opaque);
    op.sources.push_back(exists ? source(o) : Source{});
  }
  if (i.op == Op::ThreadLocal) {
    auto [it, added] = f_.cells.try_emplace(index, uint32_t(cells_.size()));
    if (added) cells_.push_back(0);
    op.cell = it->second;
  }
  return op;
}

CallSite& Decoder::callSite(uint32_t index) {
  const fir::Instruction& i = at(index);
  CallSite& site = f_.calls.emplace_back();
  site.instruction = &i;
  site.function = &f_;
  site.index = index;
  if (i.op != Op::Call) { // Resume, or a Ret that finds its guard overwritten: nothing comes back
    site.kind = fir::CallKind::Outside;
    site.noReturn = true;
    return site;
  }
  site.info = &image_.calls[i.aux];
  site.kind = fir::CallKind(i.sub);
  site.resultUsed = (site.info->flags & fir::kResultUsed) && type(i.type).words > 0;
  site.computed = site.info->flags >> fir::kComputedShift;
  site.noReturn = (site.info->flags & fir::kNoReturn) || site.kind == fir::CallKind::LongJmp;
  std::span<const fir::Operand> operands = image_.operandsOf(i);
  site.callee = source(operands[0]);
  for (fir::Operand o : operands.subspan(1)) site.arguments.push_back(source(o));
  site.dst = i.dst;
  site.resultWords = type(i.type).words;
  if (site.info->unwindBlock != fir::kNone) {
    uint32_t body = bodyOf(site.info->unwindBlock);
    if (body > firstOf(site.info->unwindBlock) && at(body - 1).op == Op::LandingPad)
      site.landingPad = f_.localId(body - 1);
  }
  return site;
}

const Edge* Decoder::edge(uint32_t from, uint32_t to) {
  if (!hasPhis(to)) return nullptr;
  auto [it, added] = edges_.try_emplace({from, to}, nullptr);
  if (!added) return it->second;
  Edge& e = f_.edges.emplace_back();
  e.predecessor = from;
  for (uint32_t k = firstOf(to); at(k).op == Op::Phi; ++k) {
    const fir::Instruction& phi = at(k);
    for (uint32_t o = 0; o + 1 < phi.operandCount; o += 2) {
      if (fir::operandIndex(operand(phi, o)) != from) continue;
      if (type(phi.type).words)
        e.moves.push_back({phi.dst, type(phi.type).words, source(operand(phi, o + 1))});
      break;
    }
  }
  return it->second = &e;
}

std::vector<uint64_t> blockAddresses(const LoadedModule& module, uint32_t function, uint32_t block) {
  std::vector<uint64_t> addresses;
  for (size_t k = 0; k < module.image->symbols.size(); ++k) {
    const fir::Symbol& s = module.image->symbols[k];
    if ((s.flags & fir::kBlockAddress) && s.function == function && s.size == block)
      addresses.push_back(module.addresses[k]);
  }
  return addresses;
}

bool kindsOf(fir::Operand a, fir::Operand b, Kinds& kinds) {
  bool ca = fir::operandKind(a) == fir::OperandKind::Constant,
       cb = fir::operandKind(b) == fir::OperandKind::Constant;
  kinds = cb ? Kinds::WordConstant : ca ? Kinds::ConstantWord : Kinds::WordWord;
  return !(ca && cb);
}

bool decodeFunction(DecodedFunction& f, std::vector<uint64_t>& cells,
                    const std::function<DecodedFunction*(uint64_t)>& functionAt) {
  if (auto valid = validateFunction(*f.module->image, *f.fir); !valid) {
    f.error = valid.error().message;
    return false;
  }
  PlainDecoder(f, cells).run();
  FastDecoder(f, cells, functionAt).run();
  f.ready = true;
  return true;
}

} // namespace faultline::replay
