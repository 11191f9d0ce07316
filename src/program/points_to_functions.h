// Which functions a call by pointer may run. Classes alone would say: any function whose address ever lay
// beside this one's in some memory. Function pointers are few, so they are followed one by one and in one
// direction (Andersen), with one place for each member of a record type and one for the rest of each class.
//
//   struct ops { void (*run)(int), (*stop)(int); } o = {f, g};   o.run(1) calls f, not g, though both
//                                                                addresses are in o
#pragma once

#include "program/points_to_solver.h"

#include <unordered_set>

namespace faultline::fir {

class PointsToFunctions {
public:
  explicit PointsToFunctions(const PointsToSolver& solved);
  // By image << 32 | local id of a call: those it calls by pointer, or hands to outside code. Where there are
  // very many, as in a table of all functions of an interpreter, only kMany: the class must do.
  static constexpr uint32_t kMany = kNone - 1;
  std::unordered_map<uint64_t, std::vector<uint32_t>> targets();

private:
  struct Use { // of a value, by a call
    uint32_t image, function, local;
    bool isCallback;
  };
  uint32_t word(Operand o) const { return out_.wordNode(image_, function_, operandIndex(o)); }
  uint32_t memory(const Place& place) const;
  void add(uint32_t node, uint32_t function);
  void addEdge(uint32_t from, uint32_t to);
  void addBoth(uint32_t a, uint32_t b) { addEdge(a, b), addEdge(b, a); }
  void flow(Operand from, uint32_t to);
  void visitImages();
  void visitInitialValues();
  void visit(const Instruction& i, uint32_t local);
  void visitCall(const Instruction& i, uint32_t local);
  void bind(uint32_t function, const Instruction& call);
  void linkMembers();
  void propagate();

  const PointsToSolver& solver_;
  const PointsTo& out_;
  const Linked& linked_;
  uint32_t image_ = 0, function_ = 0;
  const Image* m_ = nullptr;
  uint32_t firstMember_ = 0, firstClass_ = 0;
  std::vector<std::vector<uint32_t>> edges_, sets_;
  std::unordered_set<uint64_t> known_;
  std::vector<bool> hasMany_;
  std::vector<std::pair<uint32_t, uint32_t>> open_; // node, function
  std::unordered_map<uint32_t, std::vector<Use>> uses_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> targets_;
};

} // namespace faultline::fir
