// What the instances of a run made, as terms: each instance is a variable, and its definition is a term over
// the variables of the instances that made what it used. Memory is followed to whoever wrote each byte, at
// the recorded address.
//
//   41  StoreVar n <- w3          v41 = v39
//   52  w9 = LoadVar n            v52 = v41
//   53  w10 = Add w9, 1           v53 = v52 + 1
//
// Bytes that a copy, or an outside call, put into memory are variables of their own: those of one copy may
// come from many places.
//
// Where no theory reaches (an outside call, long double), the step is opaque: given what it was given it
// makes what was recorded, given anything else it might make anything.
#pragma once

#include "depend/instances.h"
#include "logic/encode.h"

namespace faultline::logic {

// Something that no instance made.
struct TermLeaf {
  enum Kind : uint8_t { Input, World, Initial, Start, Outside } kind = Initial;
  uint64_t call = depend::kNoInstance; // Input, World: the call that brought it
  uint64_t from = 0, size = 0;         // Input: bytes of what that call read; Initial, Outside: address
  bool operator==(const TermLeaf&) const = default;
};

struct Definition {
  Term value = {};                    // over variables of earlier instances
  std::vector<uint64_t> through = {}; // instances that only passed it on: calls with arguments, copies
  std::vector<TermLeaf> leaves = {};
  bool isOpaque = false;
  std::string opaque = {}; // and what it is: "strlen()"
};

class InstanceTerms {
public:
  InstanceTerms(Terms& terms, depend::Instances& instances) : terms_(terms), instances_(instances) {}

  Terms& terms() { return terms_; }
  depend::Instances& instances() { return instances_; }

  // The variable of an instance, and what it was in the run.
  Result<Term> made(uint64_t time);
  Result<Term> recorded(uint64_t time);
  // When what the variable stands for was made; kNoInstance: it stands for anything.
  uint64_t timeOf(Term variable) const;
  Result<Term> valueOf(Term variable);
  // Of a variable that stands for bytes in memory: where they are.
  std::optional<uint64_t> addressOf(Term variable) const;

  // How it was made. Kept. If that does not give what was recorded, since something wrote memory unseen, the
  // recorded value stands for it.
  Result<const Definition*> define(Term variable);
  uint64_t unseen() const { return unseen_; }
  // An operand, over variables; `passed` gets who only passed it on, and leaves.
  Result<Term> operand(uint64_t time, uint32_t number, Definition& passed);
  // Bytes of memory as they were before `time`; `recorded` is what they were.
  Result<Term> memory(uint64_t time, uint64_t address, std::span<const uint8_t> recorded, Definition& passed);
  // What an outside call was given, as far as its result may depend on it.
  Result<std::vector<Term>> given(uint64_t call, Definition& passed);
  // Under which condition the branch goes where it went; nothing: it had no choice.
  Result<std::optional<Term>> decision(uint64_t branch, Definition& passed);
  // The block, within its function, that the branch went to.
  Result<std::optional<uint32_t>> successor(uint64_t branch);

  // Whether bytes that an outside call read, and a copy or another such call wrote, are followed to there;
  // else the recorded result stands for them. To be said before anything is asked.
  void followReadBytes(bool follow) { followsReadBytes_ = follow; }

private:
  struct Bytes { // that a copy or an outside call put into memory
    depend::OriginPiece piece;
    Term recorded;
  };
  Result<Term> wordTerm(const depend::Origin& origin, uint32_t width, const Term* known, Definition& passed);
  Result<Term> constant(const depend::Executed& x, fir::Operand operand, uint32_t width);
  Result<Term> pieces(const std::vector<depend::OriginPiece>& pieces, uint32_t bytes,
                      std::span<const uint8_t> recorded, Definition& passed);
  Result<Term> piece(const depend::OriginPiece& piece, std::span<const uint8_t> recorded, Definition& passed);
  Term bytesVariable(const depend::OriginPiece& piece, std::span<const uint8_t> recorded);
  Result<Definition> defineBytes(const Bytes& bytes, uint64_t number);
  Result<Definition> copied(const Bytes& bytes);
  Result<Definition> written(const Bytes& bytes, uint64_t number);
  Result<std::vector<uint8_t>> bytesBefore(uint64_t time, uint64_t address, uint64_t size);
  Result<void> addGiven(const depend::Executed& call, uint32_t flow, std::vector<Term>& given,
                        Definition& out);
  Result<Term> ifGiven(std::span<const Term> given, Term recorded, uint64_t tag);
  Result<Definition> makeDefinition(uint64_t time);
  Result<bool> holdsAsRecorded(Term variable, Term value);
  Result<Definition> opaque(const depend::Executed& x, std::string what);
  Result<Definition> load(const depend::Executed& x);
  Result<Definition> choose(const depend::Executed& x);
  Result<Definition> outsideCall(const depend::Executed& x);
  uint32_t widthOfResult(const depend::Executed& x) const;
  uint32_t widthOfOperand(const depend::Executed& x, uint32_t number) const;

  Terms& terms_;
  depend::Instances& instances_;
  std::unordered_map<uint64_t, Definition> definitions_; // by tag
  std::vector<Bytes> bytes_;
  uint64_t unseen_ = 0;
  bool followsReadBytes_ = true;
  uint64_t replayed_ = 0;                                       // instructions, to look up bytes
  std::unordered_map<uint64_t, std::vector<uint32_t>> bytesAt_; // by time
};

} // namespace faultline::logic
