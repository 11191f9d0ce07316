// Which memory a pointer may point to, for the whole program, in nearly linear time (Steensgaard: what may be
// pointed to by one pointer is one class), with the members of records kept apart (Heintze): the member f of
// all records of type S is an object of its own, so `p->next` and `p->count` are never mixed up because both
// lie in one heap object.
//
//   p = malloc(..); p->next = q; n = &p->count;    p points to the class of that malloc, p->next to the class
//                                                  of q, n to the class of member S.count, a part of p's
//
// What it does not see, and so may be wrong about:
//   - a pointer that is taken apart and put together again by shifts or multiplications, or byte by byte;
//   - a pointer that is stored as member f of one record type and read as a member of another one at another
//     place, or by an offset from the record's start that only the running program knows;
//   - a function pointer that is stored as a member of one record type and called as a member of another;
//   - a symbol that is an alias of another one: it counts as an object of its own;
//   - a function pointer that outside code keeps and gives back (std::set_new_handler);
//   - inline assembly that stores through its operands; outside code that keeps a pointer in memory of its
//   own
//     and lets another function store through it, except for what points_to_outside.h knows of.
#pragma once

#include "program/points_to_link.h"

namespace faultline::fir {

using PointsToClass = uint32_t;

// Where an access goes: to member `member` of a record in class `container`, or (kNone) somewhere in
// `target`.
struct Place {
  PointsToClass target = kNone;
  PointsToClass container = kNone;
  uint32_t member = kNone;
  auto operator<=>(const Place&) const = default;
};

class PointsTo {
public:
  explicit PointsTo(const Linked& linked);

  // What `bytes` bytes at this address are; target kNone: the operand is no address. bytes 0: not known.
  Place place(uint32_t image, uint32_t function, Operand address, uint64_t bytes) const;
  // Functions whose addresses are in a class.
  std::span<const uint32_t> functions(PointsToClass c) const;
  // Classes that have this one as a part, directly.
  std::span<const PointsToClass> containers(PointsToClass c) const;
  bool isUnion(PointsToClass c) const { return isUnion_[c]; }
  // Functions (numbers in Linked) that the call may run: called, or handed to outside code.
  std::vector<uint32_t> callees(uint32_t image, uint32_t local) const;
  // The outside function that it certainly calls, if it is known by name; empty: inside, or by pointer.
  std::string_view outsideName(uint32_t image, uint32_t local) const;
  // The class that a pointer in this class's memory points to, or kNone.
  PointsToClass content(PointsToClass c) const;

private:
  friend class PointsToSolver;
  friend class PointsToFunctions;
  uint32_t find(uint32_t node) const;
  uint32_t wordNode(uint32_t image, uint32_t function, uint32_t word) const {
    return firstWord_[linked_.functionNumber(image, function)] + word;
  }
  uint32_t targetOf(uint32_t image, uint32_t function, Operand o) const;
  // `steps`, if given, gets all members on the way, each with its container.
  Place constantPlace(uint32_t image, const Constant& c, uint64_t bytes, bool isAccess,
                      std::vector<Place>* steps = nullptr) const;
  Place pathPlace(uint32_t image, uint32_t path, PointsToClass base) const;
  const Instruction* definition(uint32_t image, uint32_t function, Operand o) const;
  bool isSplit(uint32_t image, const Field& field) const;

  const Linked& linked_;
  mutable std::vector<uint32_t> parent_;
  std::vector<uint32_t> content_;
  std::vector<bool> isUnion_;
  std::vector<uint32_t> firstWord_;   // by function number
  std::vector<uint32_t> definitions_; // by word node: local id, or kNone
  uint32_t firstObject_ = 0, firstMember_ = 0, firstResult_ = 0;
  std::unordered_map<uint32_t, std::vector<uint32_t>> functions_, containers_; // by class
  std::unordered_map<uint64_t, std::vector<uint32_t>> targets_; // of calls, see PointsToFunctions
};

} // namespace faultline::fir
