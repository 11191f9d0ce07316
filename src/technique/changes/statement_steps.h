// A statement of the program as steps that an experiment can take elsewhere (abi/experiment.h,
// FL_ALTER_STATEMENT): a call whose result nobody uses, an assignment. Its variables are those that the other
// function has by the same names.
//
//   link_newest(c, e);   SYMBOL link_newest, VARIABLE c, VARIABLE e, CALL 2
//   place = child;       VARIABLE child, ASSIGN place
//   c->uses++;           VARIABLE c, NUMBER 16, ADD,
//                        VARIABLE c, NUMBER 16, ADD, LOAD 4, NUMBER 1, ADD, STORE 4
#pragma once

#include "experiment/alteration.h"
#include "program/image.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace faultline::technique {

struct MadeStatement {
  enum Kind { Call, Assignment };
  Kind kind = Call;
  std::vector<fl_step> steps;
  std::string names;                      // of functions that are only called, each with a zero behind it
  std::vector<const fir::Variable*> uses; // of the function that it is for
  std::vector<const fir::Variable*> kept; // of these, those in registers, by the numbers that the steps have
  // The instructions that make it up and do something where it is copied from: the calls within it, and last
  // its own.
  std::vector<uint32_t> done;
  // What an assignment assigns to; all empty: nobody knows what.
  const fir::Variable* variable = nullptr;
  uint32_t field = fir::kNone, symbol = fir::kNone;
};

// Of one image.
class StatementSteps {
public:
  explicit StatementSteps(const fir::Image& image) : image_(image) {}

  // The statements of a function, by the instruction that ends them.
  std::vector<uint32_t> statementsOf(uint32_t function);
  // Nothing: it cannot be made there, or not at all.
  std::optional<MadeStatement> copy(uint32_t from, uint32_t local, uint32_t to);
  enum class With { Zero, One, Increment, Decrement, Other, Pointee };
  std::optional<MadeStatement> assign(uint32_t to, const fir::Variable& target, With with,
                                      const fir::Variable* other = nullptr);
  // The private or named variable that a Load or LoadVar reads, a Store or StoreVar sets.
  const fir::Variable* variableAt(uint32_t function, uint32_t local);
  // Whether a Load or LoadVar reads a variable that only the compiler knows.
  bool readsNameless(uint32_t function, uint32_t local);
  // What the address of a Load or Store is made of: a member, or a global variable.
  void findTarget(uint32_t function, uint32_t local, uint32_t& field, uint32_t& symbol);

  // Before each execution of `place`, which is an instruction of the function that the statement is for. What
  // is `skipped`, that instruction may be among it, is not executed any more.
  struct Where {
    uint32_t function = 0, place = 0, base = 0;
    std::vector<uint32_t> skipped = {};
    uint64_t epoch = 1;
  };
  std::vector<experiment::Alteration> alterations(const MadeStatement& statement, const Where& where) const;

private:
  struct Facts {
    std::vector<uint32_t> definitions;           // by word: the only instruction that makes it, or kNone
    std::vector<bool> isUsed;                    // by word
    std::vector<const fir::Variable*> variables; // by word of a private one
    std::map<uint32_t, const fir::Variable*> byAlloca; // by the instruction
    bool hasDynamic = false;                           // its frame grows while it runs
    const fir::Variable* variableOf(const fir::Image& image, const fir::Instruction& i) const;
  };
  class Maker;
  const Facts& factsOf(uint32_t function);
  bool isPossible(const Facts& facts, const fir::Instruction& i) const;

  const fir::Image& image_;
  std::map<uint32_t, std::unique_ptr<Facts>> facts_;
};

} // namespace faultline::technique
