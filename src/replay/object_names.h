// Names what lies at an address: a variable or a part of it, a function, a string of the program's text, a
// block of the heap.
//
//   &list.items[2].next    &buf[3] in parse()    &buf[32], 1 past the end, in parse()    handler    "usage:
//   %s" 8 bytes into the block of 24 from malloc at list.c:8
//
// Built once for a stopped replay; each question is then two binary searches.
#pragma once

#include "replay/variables.h"

namespace faultline::replay {

struct HeapBlock {
  uint64_t start = 0;
  uint64_t size = 0;
  uint64_t instance = 0; // of the call that made it, for the caller's own use
  std::string from;      // that call as a person reads it: "malloc at list.c:8"
  bool isFreed = false;
};

struct ObjectName {
  enum class Kind { Global, Local, Function, Literal, Heap };
  Kind kind = Kind::Global;
  std::string
      object; // name of the whole: buf; "the block of 24 from malloc at list.c:8"; the literal in quotes
  std::string part;             // the part at the address: buf[3].next; empty where there is no name for it
  std::string owner;            // function whose frame it is in: parse
  uint64_t start = 0, size = 0; // of the whole
  int64_t offset = 0;           // of the address in it; outside: below 0, or at or above size
  // Elements past the end (from 1), or before the start (below 0); bytes where it is no array. 0: inside.
  int64_t beyond = 0;
  size_t frame = 0; // Local: index in the frames given

  bool isInside() const { return offset >= 0 && uint64_t(offset) < size; }
};

class ObjectNames {
public:
  ObjectNames(const SymbolView& symbols, std::span<const FrameView> frames, const MemoryView& memory,
              std::vector<HeapBlock> heap = {});

  // `size`: bytes accessed there, to tell a record from its first member; 0 names the whole.
  // An address in no object is named after its nearest neighbour, if one is near.
  std::optional<ObjectName> find(uint64_t address, uint64_t size = 0) const;
  // The address as the program came to it: relative to the object that `from` lies in.
  std::optional<ObjectName> findFrom(uint64_t from, uint64_t address, uint64_t size = 0) const;

  // One line; empty if nothing is known.
  static std::string text(const ObjectName& name);
  std::string text(uint64_t address, uint64_t size = 0) const;
  // For values: only what is certain, without the frame (`handler`, `&buf[3]`).
  std::string brief(uint64_t address) const;

private:
  struct Object {
    uint64_t start, size;
    ObjectName::Kind kind;
    TypeRef type;
    std::string name;
    std::string owner;
    size_t frame;
    uint32_t heap; // index in heap_
  };
  void addSymbols(const SymbolView& symbols);
  void addFrame(const FrameView& frame, size_t index, const MemoryView& memory);
  const Object* containing(uint64_t address) const;
  const Object* neighbour(uint64_t address) const;
  ObjectName describe(const Object& object, uint64_t address, uint64_t size) const;

  std::vector<Object> objects_; // by start
  std::vector<HeapBlock> heap_;
};

// The part of a value of `type` at `offset`, as it continues the name of the whole: `.items[2].next`. Goes as
// far as the offset needs, and on to a part of at most `size` bytes if that is not 0.
struct PartPath {
  std::string text;
  TypeRef type;
  uint64_t rest = 0; // bytes into that part
};
PartPath partAt(TypeRef type, uint64_t offset, uint64_t size);

} // namespace faultline::replay
