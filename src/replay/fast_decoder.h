// The fused form of a function.
//
// A segment is a stretch of a block that ends at a call or at the block's end. Within a segment, a value that
// nobody needs outside of it may stay a note on how to make it (Pending) instead of an Insn:
//
//   w3 = LoadVar w1               -            users read w1, until something is stored there
//   w4 = LoadVar w2               -
//   w5 = SExt w4 to i64           -            an index of 32 bits
//   w6 = Gep w3 + w5 * 4          -            the load's address
//   w7 = Load i32 w6              Load w8 <- [w1 + sext(w2) * 4]      writes the variable at once
//   StoreVar w8 <- w7             -
//   w9 = ICmp slt w7, 10          -            but w7 has a second user here, so it stays a word of its own
//   CondBr w9, b1, b2             branch if w7 < 10
//
// If something that a note relies on is about to change, the note is turned into an Insn first.
#pragma once

#include "replay/decoder.h"

#include <optional>

namespace faultline::replay {

class FastDecoder : Decoder {
public:
  FastDecoder(DecodedFunction& f, std::vector<uint64_t>& cells,
              const std::function<DecodedFunction*(uint64_t address)>& functionAt)
      : Decoder(f, cells), functionAt_(functionAt) {}
  void run();

private:
  // A word, or a constant.
  struct Value {
    bool constant = false;
    uint32_t word = 0;
    const uint64_t* pointer = nullptr; // where the constant stands
    uint64_t number() const { return *pointer; }
  };
  struct Address {
    std::optional<uint32_t> base, index;
    bool index32 = false;
    uint32_t scale = 0;
    uint64_t offset = 0;
  };
  struct Pending {
    enum Kind : uint8_t { None, Alias, Sign32, MakeAddress, Compare, Not, LowBit } kind = None;
    uint8_t predicate = 0; // Compare
    uint32_t usesLeft = 0;
    uint32_t instruction = 0;
    Value value; // Alias, Sign32 (index of 32 bits), Not, LowBit; Compare: first operand
    Value other; // Compare: second
    Address address;
  };

  // fast_decoder.cpp: blocks and control
  void analyse();
  void emitBlock(uint32_t block);
  uint32_t emitBody(uint32_t block, uint32_t index);
  void terminator(uint32_t block, uint32_t index);
  void branchOn(uint32_t block, uint32_t index);
  void switchOver(uint32_t block, uint32_t index);
  void call(uint32_t block, uint32_t index);
  bool directCall(CallSite& site);
  void ret(uint32_t index);
  bool continues(uint32_t to) const;
  void finish();
  uint32_t label(uint32_t from, uint32_t to);
  void startSegment(uint32_t index, uint32_t end);

  // fast_values.cpp: straight-line code
  void instruction(uint32_t index);
  bool binary(uint32_t index);
  bool cast(uint32_t index);
  bool load(uint32_t index);
  bool store(uint32_t index);
  bool address(uint32_t index);
  bool copy(uint32_t index);
  bool select(uint32_t index);
  void asOperation(uint32_t index);
  void emitResult(uint32_t index, Insn code, std::initializer_list<uint32_t> reads);
  bool extendLoad(uint32_t word, unsigned from, unsigned to, uint32_t dst);

  // fast_pending.cpp: notes
  bool isLocal(uint32_t index) const; // one word, not needed outside of its segment
  void defer(uint32_t index, Pending p);
  Value read(fir::Operand o);
  Value readWord(uint32_t word);
  Value peek(fir::Operand o) const; // what read will return, if that is a constant
  static Pending alias(Value v);
  Address addressOf(fir::Operand o);
  bool combine(Address& a, const Address& more) const;
  void materialise(uint32_t word);
  void beforeWrite(uint32_t word);
  static bool reliesOn(const Pending& p, uint32_t word);
  void moveTo(uint32_t word, Value v);
  bool redirect(uint32_t word, uint32_t to);
  void forget(uint32_t word); // its value at hand
  Insn addressed(const Address& a, const std::function<Handler(AddressForm)>& pick) const;
  static AddressForm formOf(const Address& a);

  uint32_t emit(Insn code, uint32_t origin, std::initializer_list<uint32_t> reads = {});
  uint32_t emitTo(uint32_t word, Insn code, uint32_t origin, std::initializer_list<uint32_t> reads = {});

  const std::function<DecodedFunction*(uint64_t address)>& functionAt_;
  std::vector<Insn> code_;
  std::vector<uint32_t> origin_;
  std::vector<bool> exposed_; // by word: used in a segment that did not make it
  std::vector<uint32_t> predecessors_;
  std::vector<uint32_t> labels_, bodies_; // by block, kNone: not emitted
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> edgeLabels_;

  struct Fixup {
    uint32_t insn;
    enum Field : uint8_t { Dst, B, Case, Otherwise, Body } field;
    uint32_t from, to;
    SwitchTable* table = nullptr;
    uint32_t which = 0;
  };
  std::vector<Fixup> fixups_;
  std::map<uint32_t, std::pair<uint32_t, uint32_t>> invokes_; // call -> blocks from, to
  std::map<uint32_t, uint32_t> resumes_;                      // call -> index in code

  // Of the segment at hand.
  uint32_t count_ = 0;                                            // instructions so far
  std::map<uint32_t, uint32_t> uses_;                             // of each result, by instruction
  std::map<uint32_t, Pending> pending_;                           // by word
  std::map<uint32_t, uint32_t> definedBy_, lastRead_, lastWrite_; // word -> index in code
  std::map<uint32_t, uint32_t> remaining_; // word -> uses of its value at hand that are still to come
  uint32_t current_ = 0;                   // instruction
  uint32_t loadAt_ = fir::kNone;           // the last load in code
  AddressForm loadForm_{};
  unsigned loadBytes_ = 0;
};

} // namespace faultline::replay
