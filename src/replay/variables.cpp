#include "replay/variables.h"

#include <algorithm>

namespace faultline::replay {

using fir::Home;
using fir::Op;

const fir::Function* functionOf(const FrameView& frame) {
  return frame.image && frame.function < frame.image->functions.size()
             ? &frame.image->functions[frame.function]
             : nullptr;
}

std::span<const fir::Variable> variablesOf(const FrameView& frame) {
  const fir::Function* f = functionOf(frame);
  if (!f || f->firstVariable > frame.image->variables.size()) return {};
  size_t count = std::min<size_t>(f->variableCount, frame.image->variables.size() - f->firstVariable);
  return frame.image->variables.subspan(f->firstVariable, count);
}

const fir::Location* locationOf(const FrameView& frame) {
  const fir::Function* f = functionOf(frame);
  if (!f) return nullptr;
  const fir::Image& image = *frame.image;
  uint32_t last = std::min<uint32_t>(frame.instruction, f->firstInstruction + f->instructionCount - 1);
  for (uint32_t id = last; id >= f->firstInstruction && id < image.instructions.size(); --id) {
    uint32_t at = image.instructions[id].location;
    if (at != 0 && at < image.locations.size() && image.locations[at].line != 0) return &image.locations[at];
    if (id == 0) break;
  }
  return f->location != 0 && f->location < image.locations.size() ? &image.locations[f->location] : nullptr;
}

namespace {

constexpr unsigned kMaxScopes = 256;

// Steps from the instruction's block out to the variable's; nothing if it does not enclose it.
std::optional<unsigned> distance(const fir::Image& image, uint32_t inner, uint32_t scope) {
  for (unsigned steps = 0; inner < image.scopes.size() && steps < kMaxScopes; ++steps) {
    if (inner == scope) return steps;
    inner = image.scopes[inner].parent;
  }
  return std::nullopt;
}

// The variable's storage as an operand: its private word, or the word that holds its address.
std::optional<uint32_t> storageWord(const FrameView& frame, const fir::Variable& v) {
  if (v.home == Home::Word || v.home == Home::ArgumentPointer) return v.word;
  if (v.instruction >= frame.image->instructions.size()) return std::nullopt;
  uint32_t dst = frame.image->instructions[v.instruction].dst;
  return dst == fir::kNone ? std::nullopt : std::optional(dst);
}

// Whether code before the frame's instruction has touched the variable: then it has been declared.
bool isTouchedBefore(const FrameView& frame, const fir::Variable& v) {
  auto word = storageWord(frame, v);
  if (!word) return true;
  fir::Operand operand = fir::makeOperand(fir::OperandKind::Word, *word);
  const fir::Function& f = *functionOf(frame);
  for (uint32_t id = f.firstInstruction; id < frame.instruction && id < frame.image->instructions.size();
       ++id) {
    auto operands = frame.image->operandsOf(frame.image->instructions[id]);
    if (std::find(operands.begin(), operands.end(), operand) != operands.end()) return true;
  }
  return false;
}

bool isDeclared(const FrameView& frame, const fir::Variable& v, const fir::Location& here) {
  if (v.isArgument || v.location >= frame.image->locations.size()) return true;
  const fir::Location& declared = frame.image->locations[v.location];
  if (declared.line == 0 || declared.file != here.file) return true;
  if (declared.line != here.line) return declared.line < here.line;
  return isTouchedBefore(frame, v);
}

// Made by the compiler for a range-for loop or a variable-length array.
bool isMadeUp(std::string_view name) {
  for (std::string_view prefix : {"__range", "__begin", "__end", "__vla_expr"})
    if (name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= '0' &&
        name[prefix.size()] <= '9')
      return true;
  return false;
}

// A record that is passed by hidden reference: its word holds the address, which the tables do not say.
bool holdsAddress(const FrameView& frame, const fir::Variable& v, TypeRef type) {
  if (!type.stripped().isRecord()) return false;
  const fir::Image& image = *frame.image;
  for (const fir::Instruction& i : image.instructionsOf(*functionOf(frame)))
    if (i.op == Op::StoreVar && image.operandsOf(i)[0] == fir::makeOperand(fir::OperandKind::Word, v.word))
      return i.type < image.types.size() && image.types[i.type].kind == fir::TypeKind::Pointer;
  return false;
}

// The length of a variable-length array stands in the nearest made-up variable declared before it.
uint64_t lengthOf(const FrameView& frame, const fir::Variable& array, const MemoryView& memory) {
  uint64_t length = 0;
  for (const fir::Variable& v : variablesOf(frame)) {
    if (&v == &array) break;
    if (!frame.image->string(v.name).starts_with("__vla_expr")) continue;
    auto place = placeOfVariable(frame, v, memory);
    length = place ? readNumber(*place, memory).value_or(0) : 0;
  }
  return length;
}

// At a function's very start an argument is not in its variable yet, but still in the word it arrived in.
std::optional<uint32_t> arrivalWord(const FrameView& frame, const fir::Variable& v) {
  if (!v.isArgument || v.home != Home::Word) return std::nullopt;
  const fir::Function& f = *functionOf(frame);
  fir::Operand home = fir::makeOperand(fir::OperandKind::Word, v.word);
  for (uint32_t id = f.firstInstruction; id < f.firstInstruction + f.instructionCount; ++id) {
    const fir::Instruction& i = frame.image->instructions[id];
    auto operands = frame.image->operandsOf(i);
    if (i.op != Op::StoreVar || operands[0] != home) continue;
    bool isDue = id >= frame.instruction && fir::operandKind(operands[1]) == fir::OperandKind::Word;
    return isDue ? std::optional(fir::operandIndex(operands[1])) : std::nullopt;
  }
  return std::nullopt;
}

struct Candidate {
  const fir::Variable* variable;
  unsigned distance;
};

std::vector<Candidate> candidates(const FrameView& frame) {
  std::vector<Candidate> found;
  const fir::Location* here = locationOf(frame);
  for (const fir::Variable& v : variablesOf(frame)) {
    // Without a location of the instruction only the function's own block is sure.
    uint32_t scope = here && here->scope != fir::kNone ? here->scope : v.isArgument ? v.scope : fir::kNone;
    auto steps = distance(*frame.image, scope, v.scope);
    if (steps && (!here || isDeclared(frame, v, *here))) found.push_back({&v, *steps});
  }
  return found;
}

bool isShadowed(const fir::Image& image, const Candidate& c, const std::vector<Candidate>& all) {
  return std::any_of(all.begin(), all.end(), [&](const Candidate& other) {
    bool nearer =
        other.distance < c.distance || (other.distance == c.distance && other.variable > c.variable);
    return nearer && image.string(other.variable->name) == image.string(c.variable->name);
  });
}

FrameVariable describeGlobal(const fir::Image& image, const fir::Symbol& s, uint64_t address) {
  FrameVariable out;
  out.name = image.string(s.displayName);
  out.place = placeInMemory({&image, s.debugType}, address);
  out.isAvailable = address != 0;
  out.line = s.location < image.locations.size() ? image.locations[s.location].line : 0;
  return out;
}

bool isNamedGlobal(const fir::Image& image, const fir::Symbol& s) {
  return !(s.flags & (fir::kFunction | fir::kBlockAddress)) && s.debugType != fir::kNone &&
         !image.string(s.displayName).empty();
}

} // namespace

std::optional<ValuePlace> placeOfVariable(const FrameView& frame, const fir::Variable& v,
                                          const MemoryView& memory) {
  TypeRef type{frame.image, v.debugType};
  bool inWords = v.home == Home::Word || v.home == Home::ArgumentPointer;
  if (inWords && v.word >= frame.words.size()) return std::nullopt;
  switch (v.home) {
  case Home::Word: {
    uint32_t word = std::min(arrivalWord(frame, v).value_or(v.word), uint32_t(frame.words.size() - 1));
    if (holdsAddress(frame, v, type)) return placeInMemory(type, frame.words[word]);
    uint64_t words = std::clamp<uint64_t>((sizeOf(type) + 7) / 8, 1, frame.words.size() - word);
    return placeInWords(type, frame.words.subspan(word, words));
  }
  case Home::ArgumentPointer:
    return placeInMemory(type, frame.words[v.word]);
  case Home::Frame:
    return placeInMemory(type, frame.frameBase + v.offset);
  case Home::FrameIndirect:
    if (auto address = readWord(memory, frame.frameBase + v.offset)) return placeInMemory(type, *address);
    return std::nullopt;
  case Home::Gone:
    break;
  }
  return std::nullopt;
}

FrameVariable describeVariable(const FrameView& frame, const fir::Variable& v, const MemoryView& memory) {
  FrameVariable out;
  out.name = frame.image->string(v.name);
  out.isArgument = v.isArgument;
  out.line = v.location < frame.image->locations.size() ? frame.image->locations[v.location].line : 0;
  auto place = placeOfVariable(frame, v, memory);
  out.isAvailable = place.has_value();
  out.place = place ? *place : ValuePlace{.type = {frame.image, v.debugType}};
  TypeRef bare = out.place.type.stripped();
  if (bare.kind() == fir::DebugKind::Array && bare.get()->count == fir::kNone)
    out.place.elements = lengthOf(frame, v, memory);
  return out;
}

std::vector<FrameVariable> variablesInScope(const FrameView& frame, const MemoryView& memory) {
  std::vector<FrameVariable> out;
  if (!functionOf(frame)) return out;
  std::vector<Candidate> all = candidates(frame);
  std::sort(all.begin(), all.end(), [](const Candidate& a, const Candidate& b) {
    auto rank = [](const Candidate& c) { return c.variable->isArgument ? c.variable->argument : 0x10000u; };
    return std::pair(rank(a), a.variable) < std::pair(rank(b), b.variable);
  });
  for (const Candidate& c : all)
    if (!isShadowed(*frame.image, c, all) && !isMadeUp(frame.image->string(c.variable->name)))
      out.push_back(describeVariable(frame, *c.variable, memory));
  return out;
}

std::optional<FrameVariable> findVariable(const FrameView& frame, const MemoryView& memory,
                                          std::string_view name) {
  const Candidate* best = nullptr;
  std::vector<Candidate> all = candidates(frame);
  for (const Candidate& c : all)
    if (frame.image->string(c.variable->name) == name && (!best || c.distance <= best->distance)) best = &c;
  if (best) return describeVariable(frame, *best->variable, memory);
  for (const fir::Variable& v : variablesOf(frame))
    if (frame.image->string(v.name) == name) return describeVariable(frame, v, memory);
  return std::nullopt;
}

std::vector<FrameVariable> globalsMentioned(const FrameView& frame, const SymbolView& symbols) {
  std::vector<FrameVariable> out;
  const fir::Function* f = functionOf(frame);
  if (!f) return out;
  const fir::Image& image = *frame.image;
  std::vector<bool> mentioned(image.symbols.size());
  for (const fir::Instruction& i : image.instructionsOf(*f))
    for (fir::Operand o : image.operandsOf(i)) {
      if (fir::operandKind(o) != fir::OperandKind::Constant || fir::operandIndex(o) >= image.constants.size())
        continue;
      uint32_t s = image.constants[fir::operandIndex(o)].symbol;
      if (s >= image.symbols.size() || mentioned[s] || !isNamedGlobal(image, image.symbols[s])) continue;
      mentioned[s] = true;
      out.push_back(describeGlobal(image, image.symbols[s], symbols.address(frame.module, s)));
    }
  return out;
}

std::optional<FrameVariable> findGlobal(const FrameView& frame, const SymbolView& symbols,
                                        std::string_view name) {
  std::optional<FrameVariable> elsewhere;
  for (size_t m = 0; m < symbols.moduleCount(); ++m) {
    const fir::Image& image = symbols.image(m);
    for (uint32_t s = 0; s < image.symbols.size(); ++s) {
      const fir::Symbol& symbol = image.symbols[s];
      if (!isNamedGlobal(image, symbol) || image.string(symbol.displayName) != name) continue;
      FrameVariable found = describeGlobal(image, symbol, symbols.address(m, s));
      if (m == frame.module && frame.image) return found;
      if (!elsewhere && found.isAvailable) elsewhere = found;
    }
  }
  return elsewhere;
}

} // namespace faultline::replay
