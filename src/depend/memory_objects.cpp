#include "depend/memory_objects.h"

namespace faultline::depend {

Provenance MemoryObjects::make(const MemoryObject& object) {
  uint32_t number;
  uint32_t generation = 1;
  if (gone_.size() > kRemembered) {
    number = gone_.front();
    gone_.pop_front();
    generation = (all_[number].generation + 1) & 0x1fffffff;
  } else {
    number = uint32_t(all_.size());
    all_.emplace_back();
  }
  MemoryObject& o = all_[number] = object;
  o.generation = generation;
  o.reach = o.size;
  return uint64_t(generation) << 32 | number;
}

Provenance MemoryObjects::makeBlock(uint64_t start, uint64_t size, uint32_t id, uint64_t time) {
  auto it = blocks_.lower_bound(start);
  if (it != blocks_.begin()) {
    const MemoryObject& before = all_[uint32_t(std::prev(it)->second)];
    if (before.start + before.size > start) --it;
  }
  uint64_t behind = start + (size ? size : 1);
  while (it != blocks_.end() && it->first < behind) {
    Provenance old = it->second;
    ++it;
    end(old, MemoryObject::Unknown, ~0u, time);
  }
  Provenance p =
      make({.start = start, .kind = MemoryObject::Heap, .size = size, .madeAt = time, .madeBy = id});
  blocks_[start] = p;
  return p;
}

void MemoryObjects::end(Provenance p, MemoryObject::State state, uint32_t id, uint64_t time) {
  MemoryObject* o = find(p);
  if (!o || o->state != MemoryObject::Alive) return;
  o->state = state;
  o->reach = 0;
  o->endedBy = id;
  o->endedAt = time;
  if (o->kind == MemoryObject::Heap) {
    auto it = blocks_.find(o->start);
    if (it != blocks_.end() && it->second == p) blocks_.erase(it);
  }
  // Of what outside code took away nothing is ever said, so it must not seem to be another object's end.
  if (state != MemoryObject::Unknown) gone_.push_back(uint32_t(p));
}

void MemoryObjects::resize(Provenance p, uint64_t size) {
  if (MemoryObject* o = find(p); o && o->state == MemoryObject::Alive) o->size = o->reach = size;
}

void MemoryObjects::resize(Provenance p, uint64_t size, uint32_t id, uint64_t time) {
  resize(p, size);
  if (MemoryObject* o = find(p); o && o->state == MemoryObject::Alive) o->madeBy = id, o->madeAt = time;
}

Provenance MemoryObjects::blockAt(uint64_t start) const {
  auto it = blocks_.find(start);
  return it == blocks_.end() ? kNoObject : it->second;
}

Provenance MemoryObjects::blockAround(uint64_t address) const {
  auto it = blocks_.upper_bound(address);
  if (it == blocks_.begin()) return kNoObject;
  --it;
  return has(it->second, address, 1) ? it->second : kNoObject;
}

} // namespace faultline::depend
