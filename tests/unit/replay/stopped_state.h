// States of a program made by hand, for tests of what is said about one. The code is
// tests/golden/list/list.c.
#pragma once

#include "replay/views.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>
#include <string>

namespace faultline::replay::testing {

inline fir::Image goldenImage(const std::string& name) {
  auto image =
      fir::openImage(std::string(FAULTLINE_SOURCE_DIR) + "/tests/golden/" + name + "/" + name + ".fir");
  EXPECT_TRUE(image) << (image ? "" : image.error().message) << ": run tests/golden/regenerate.sh";
  return image ? *image : fir::Image{};
}

class MadeMemory : public MemoryView {
public:
  bool read(uint64_t address, std::span<uint8_t> out) const override {
    bool seen = true;
    for (uint8_t& byte : out) {
      auto it = bytes_.find(address++);
      byte = it == bytes_.end() ? 0 : it->second;
      seen &= it != bytes_.end();
    }
    return seen;
  }
  template <class T> void put(uint64_t address, T value) { putBytes(address, &value, sizeof value); }
  void putText(uint64_t address, const std::string& text) {
    putBytes(address, text.c_str(), text.size() + 1);
  }
  void fill(uint64_t address, uint64_t size) { putBytes(address, std::string(size, '\0').data(), size); }

private:
  void putBytes(uint64_t address, const void* from, size_t size) {
    for (size_t k = 0; k < size; ++k) bytes_[address + k] = static_cast<const uint8_t*>(from)[k];
  }
  std::map<uint64_t, uint8_t> bytes_;
};

// One module; its n-th symbol lies at 0x10000 + n * 0x1000.
class MadeSymbols : public SymbolView {
public:
  explicit MadeSymbols(const fir::Image& image) : image_(image) {}
  size_t moduleCount() const override { return 1; }
  const fir::Image& image(size_t) const override { return image_; }
  uint64_t address(size_t, uint32_t symbol) const override { return 0x10000 + symbol * 0x1000ull; }
  uint64_t address(std::string_view name) const {
    for (uint32_t k = 0; k < image_.symbols.size(); ++k)
      if (image_.string(image_.symbols[k].name) == name) return address(0, k);
    ADD_FAILURE() << "no symbol " << name;
    return 0;
  }

private:
  const fir::Image& image_;
};

// A frame of one of the image's functions, with words to set by the name of the variable that they hold.
class MadeFrame {
public:
  MadeFrame(const fir::Image& image, std::string_view function, uint64_t base) : image_(image) {
    for (uint32_t k = 0; k < image.functions.size(); ++k)
      if (image.string(image.functions[k].name) == function) index_ = k;
    EXPECT_NE(index_, fir::kNone) << function;
    words_.resize(image.functions[index_].words);
    for (uint32_t k = 0; k < image.functions[index_].instructionCount; ++k) {
      const fir::Instruction& i = image.instructions[image.functions[index_].firstInstruction + k];
      if (i.op == fir::Op::Alloca) words_[i.dst] = base + i.imm;
    }
    base_ = base;
  }
  // Stands at the nth instruction with that operation on the line.
  MadeFrame& at(fir::Op op, uint32_t line, int nth = 0) {
    const fir::Function& f = image_.functions[index_];
    for (uint32_t id = f.firstInstruction; id < f.firstInstruction + f.instructionCount; ++id) {
      const fir::Instruction& i = image_.instructions[id];
      if (i.op == op && image_.locations[i.location].line == line && nth-- == 0)
        return instruction_ = id, *this;
    }
    ADD_FAILURE() << "no such instruction on line " << line;
    return *this;
  }
  const fir::Variable& variable(std::string_view name) const {
    const fir::Function& f = image_.functions[index_];
    for (const fir::Variable& v : image_.variables.subspan(f.firstVariable, f.variableCount))
      if (image_.string(v.name) == name) return v;
    throw std::runtime_error("no variable " + std::string(name));
  }
  MadeFrame& set(std::string_view name, uint64_t value) { return words_[variable(name).word] = value, *this; }
  uint64_t addressOf(std::string_view name) const { return base_ + variable(name).offset; }
  // The word that an operand of the current instruction is.
  MadeFrame& setOperand(uint32_t number, uint64_t value) {
    fir::Operand o = image_.operandsOf(image_.instructions[instruction_])[number];
    EXPECT_EQ(fir::operandKind(o), fir::OperandKind::Word);
    return words_[fir::operandIndex(o)] = value, *this;
  }
  uint64_t& word(uint32_t index) { return words_[index]; }
  FrameView view() const {
    FrameView v;
    v.image = &image_;
    v.function = index_;
    v.instruction = instruction_;
    v.words = words_;
    v.frameBase = v.frameTop = base_;
    return v;
  }

private:
  const fir::Image& image_;
  uint32_t index_ = fir::kNone;
  uint32_t instruction_ = fir::kNone;
  std::vector<uint64_t> words_;
  uint64_t base_ = 0;
};

} // namespace faultline::replay::testing
