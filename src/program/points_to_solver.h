// Makes the classes of PointsTo: goes once through all instructions and joins what each of them makes one,
// then, until nothing changes, what follows from the classes: calls by pointer, callbacks, members that casts
// lay over each other.
#pragma once

#include "program/points_to.h"
#include "program/points_to_outside.h"

#include <map>
#include <unordered_map>

namespace faultline::fir {

class PointsToSolver {
public:
  // With known targets of calls by pointer (points_to_functions.h) it makes do with those.
  PointsToSolver(PointsTo& out, bool areTargetsKnown)
      : out_(out), linked_(out.linked_), areTargetsKnown_(areTargetsKnown) {}
  void solve();

private:
  friend class PointsToFunctions;
  struct Call {
    uint32_t image, function, local;
    OutsideFunction outside; // of a call of an outside function by name
  };
  struct Part {
    uint32_t container, member;
    auto operator<=>(const Part&) const = default;
  };
  // A call by pointer: all calls of functions in one class with as many arguments share it.
  struct Signature {
    uint32_t first; // value nodes of the arguments; after them the result's
    uint32_t arguments;
  };

  uint32_t newNode();
  void join(uint32_t a, uint32_t b);
  uint32_t contentOf(uint32_t node); // made if there is none
  uint32_t target(Operand o);        // the same for a value; kNone: a plain number
  void flow(uint32_t node, Operand o) {
    if (uint32_t t = target(o); t != kNone) join(contentOf(node), t);
  }
  void flowNodes(uint32_t a, uint32_t b) { join(contentOf(a), contentOf(b)); }
  uint32_t word(uint32_t index) const { return out_.wordNode(image_, function_, index); }
  uint32_t resultOf(uint32_t function) const { return out_.firstResult_ + function; }
  uint32_t variableArguments(uint32_t function) const {
    return out_.firstResult_ + uint32_t(linked_.functionCount()) + function;
  }

  uint32_t constantTarget(const Constant& c, uint64_t bytes, bool isAccess);

  void layOut();
  void visitImage(uint32_t image);
  void visitInitialValues();
  void visit(const Instruction& i);
  void visitMemory(const Instruction& i);
  void visitGep(const Instruction& i);
  void visitCall(const Instruction& i, uint32_t local);
  void visitOutside(const Instruction& i, const OutsideFunction& outside, uint32_t object);
  void bind(uint32_t function, const Instruction& call);
  uint32_t addPath(uint32_t path, uint32_t base);
  bool holdsPointer(uint32_t type) const { return holdsPointer(*m_, type); }
  static bool holdsPointer(const Image& image, uint32_t type);
  std::span<const uint32_t> knownTargets(const Call& call) const;

  bool resolve();
  void resolvePointerCalls();
  void resolveCallbacks();
  void resolveKnownCalls();
  void bindCallback(uint32_t function, uint32_t callbacks);
  void giveToCallbacks(const Call& call, uint32_t callbacks);
  void joinParts();
  void joinContainers();
  void describeClasses();

  PointsTo& out_;
  const Linked& linked_;
  bool areTargetsKnown_;
  uint32_t image_ = 0, function_ = 0; // at hand
  const Image* m_ = nullptr;
  uint64_t joins_ = 0;
  std::vector<std::pair<uint32_t, uint32_t>> toJoin_; // only while join runs
  uint32_t thrown_ = 0, kept_ = 0;
  std::vector<Part> parts_;
  std::vector<uint32_t> steppedBack_; // classes with pointers that were moved to before their start
  std::vector<Call> pointerCalls_, outsideCalls_;
  std::map<std::pair<uint32_t, uint32_t>, Signature> signatures_;
  // What outside code hands to functions of a class: value nodes of the parameters, then of the result.
  std::unordered_map<uint32_t, uint32_t> callbacks_;
};

} // namespace faultline::fir
