// Which memory an instruction, a part of a function or a whole function may write, and whether that may be
// what another instruction reads.
//
// Each access in the program has an *access id*, the same for accesses that cannot be told apart: by the
// class of memory (points_to.h), the member of a record, and the type of what is read or written.
//
//   ModRef m(images);
//   const Effects& e = m.regionEffects(image, function, block, notTaken);
//   bool mayHaveChanged = e.accesses.intersects(m.aliases(m.accessOf(image, load)));
//
// Beside the limits of points_to.h it relies on: an access stays within the member or array that it begins in
// (an overflow is not foreseen). Rule::Standard and Strict tell more apart, and miss some: the compiler
// itself reads two ints as one long to pass a struct, and exchanges a float as an int.
#pragma once

#include "program/call_graph.h"
#include "program/control_dependence.h"
#include "program/mod_ref_set.h"
#include "program/no_return.h"
#include "program/points_to.h"

#include <functional>
#include <map>
#include <memory>

namespace faultline::fir {

class ModRef {
public:
  // How far the type of a scalar, read or written through a pointer, tells what it cannot be.
  enum class Rule : uint8_t {
    None,     // not at all
    Standard, // bytes may be part of anything, others only of what has their type
    Strict,   // bytes only of bytes
  };
  // Outside functions that are of interest to the caller: Effects::isNoted says who calls them.
  using Noted = std::function<bool(std::string_view name)>;
  explicit ModRef(std::span<const Image* const> images, Rule rule = Rule::None,
                  const Noted& isNoted = nullptr);

  // What a Load, Store, AtomicRMW, CmpXchg, Fill or VaStart touches, a Copy or VaCopy writes; kNone: nothing.
  uint32_t accessOf(uint32_t image, uint32_t local) const { return written_[image][local]; }
  // What a Copy or VaCopy reads.
  uint32_t sourceAccessOf(uint32_t image, uint32_t local) const;
  // The memory that argument `argument`, from 0, of a call points to.
  uint32_t argumentAccessOf(uint32_t image, uint32_t local, uint32_t argument) const;
  // All access ids that may touch the same memory, itself included.
  const DynamicBitset& aliases(uint32_t access) const;
  bool mayAlias(uint32_t a, uint32_t b) const { return aliases(a).contains(b); }

  struct Effects {
    DynamicBitset words;         // of the function's frame that may be written (targets of StoreVar)
    DynamicBitset accesses;      // that may write memory, those of called functions included
    bool unknownOutside = false; // calls an outside function of which nothing is known
    bool isNoted = false;        // calls one that is of interest
    void addCallee(const Effects& callee);
  };
  // What may be written between the branch at the end of `block` going to `successor` and the place where its
  // ways meet again. Both are numbers within the function. What is written on ways that end the program does
  // not count, since nobody reads it; isNoted does.
  const Effects& regionEffects(uint32_t image, uint32_t function, uint32_t block, uint32_t successor) const;
  const Effects& functionEffects(uint32_t image, uint32_t function) const;

  size_t accessCount() const { return accesses_.size(); }
  struct Access {
    Place place;
    uint32_t type = 0; // scalar type, see mod_ref.cpp; 0: anything
    auto operator<=>(const Access&) const = default;
  };
  const Access& access(uint32_t id) const { return accesses_[id]; }
  const Linked& linked() const { return linked_; }
  const PointsTo& pointsTo() const { return pointsTo_; }
  const CallGraph& callGraph() const { return calls_; }

private:
  uint32_t intern(const Access& access);
  void collect(uint32_t image, const Noted& isNoted);
  void collectCall(uint32_t image, uint32_t function, uint32_t local, const Noted& isNoted);
  void summarise();
  void addEffects(uint32_t image, uint32_t local, Effects& to) const;
  std::vector<bool> goesOn(uint32_t function, const ControlDependence& control,
                           std::span<const uint32_t> region, uint32_t end) const;
  bool overlap(const Access& a, const Access& b) const;
  bool typesFit(uint32_t a, uint32_t b) const;
  uint32_t memberType(const Access& a) const;
  bool isWithin(PointsToClass inner, PointsToClass outer) const;
  const std::vector<PointsToClass>& enclosing(PointsToClass c) const;

  Linked linked_;
  PointsTo pointsTo_;
  CallGraph calls_;
  NoReturn noReturn_;
  Rule rule_;
  std::vector<Access> accesses_;
  struct AccessHash {
    size_t operator()(const Access& a) const;
  };
  std::unordered_map<Access, uint32_t, AccessHash> ids_;
  std::vector<std::vector<uint32_t>> written_;                    // by image, local
  std::vector<std::unordered_map<uint32_t, uint32_t>> read_;      // by image, local of a copy
  std::vector<std::unordered_map<uint64_t, uint32_t>> arguments_; // by image, local and argument
  struct OutsideWrites {
    std::vector<uint32_t> accesses;
    bool isUnknown = false, isNoted = false;
  };
  std::vector<std::unordered_map<uint32_t, OutsideWrites>> outside_; // by image, local of a call
  std::vector<Effects> effects_;                                     // by function number
  mutable std::unordered_map<PointsToClass, std::vector<PointsToClass>> enclosing_;
  mutable std::vector<std::unique_ptr<DynamicBitset>> aliases_;
  mutable std::unordered_map<uint32_t, std::unique_ptr<ControlDependence>> control_; // by function number
  struct RegionKey {
    uint32_t function, block, successor;
    auto operator<=>(const RegionKey&) const = default;
  };
  mutable std::map<RegionKey, std::unique_ptr<Effects>> regions_;
};

} // namespace faultline::fir
