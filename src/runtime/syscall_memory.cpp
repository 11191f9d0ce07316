// Mappings that an experiment makes go when it is over; what it unmaps is only hidden until then.
#include "runtime/syscalls.h"

#include <string.h>

namespace fl {
namespace {

long mapMore(long size) {
  Server& s = FL_SERVER;
  s.mapped += uint64_t(size);
  return running() && FL_EXPERIMENTS.memory && s.mapped > FL_EXPERIMENTS.memory ? refuse(ENOMEM) : 0;
}

uint64_t roundUp(uint64_t size) { return (size + kPage - 1) & ~(kPage - 1); }

bool mappedHere(uint64_t address, uint64_t size) {
  for (uint32_t k = 0; k < FL_SERVER.undoCount; ++k) {
    const Undo& u = FL_SERVER.undo[k];
    if (u.kind == Undo::Unmap && u.a <= address && address + size <= u.a + u.b) return true;
  }
  return false;
}

// Memory from before the experiment stays, out of reach, until it is over.
long hide(uint64_t address, uint64_t size, const Call& c) {
  long result = protect(address, size, PROT_NONE);
  if (result == 0) note({Undo::Protect, PROT_READ | PROT_WRITE, address, size, {}}, c);
  return result;
}

// A heap that grows bit by bit gets large pages ahead of its growth, at least in its shadow.
void useLargeHeap(uint64_t end) {
  constexpr uint64_t kAhead = 16 << 20;
  Server& s = FL_SERVER;
  if (running() || end <= s.largeHeap || end - s.heapStart < kAhead / 2) return;
  s.largeHeap = end + kAhead;
  useLargePages(s.heapStart & ~(kPage - 1), s.largeHeap - s.heapStart);
}

} // namespace

long doMap(const Call& c) {
  if (long refused = mapMore(c.a[1])) return refused;
  // Onto what is there already: what was there would be lost. And what is shared is not ours alone.
  if (running() && (c.a[3] & MAP_FIXED) && !(c.a[3] & MAP_FIXED_NOREPLACE)) strange(c);
  if ((c.a[3] & MAP_SHARED) && (c.a[2] & PROT_WRITE) && !(c.a[3] & MAP_ANONYMOUS)) strange(c);
  if ((c.a[3] & MAP_SHARED) && (c.a[3] & MAP_ANONYMOUS)) strange(c); // not seen by userfaultfd's marks
  long at = pass(c);
  if (at < 0 && at > -4096) return at;
  FL_SERVER.mapsChanged = true;
  if (!running() && (c.a[3] & MAP_FIXED)) forgetPages(uint64_t(at), roundUp(uint64_t(c.a[1])));
  if (!running() && (c.a[3] & MAP_ANONYMOUS)) useLargePages(uint64_t(at), roundUp(uint64_t(c.a[1])));
  note({Undo::Unmap, 0, uint64_t(at), roundUp(uint64_t(c.a[1])), {}}, c);
  return at;
}

long doUnmap(const Call& c) {
  uint64_t size = roundUp(uint64_t(c.a[1]));
  if (running() && !mappedHere(uint64_t(c.a[0]), size)) return hide(uint64_t(c.a[0]), size, c);
  long result = pass(c);
  if (result == 0 && !running()) forgetPages(uint64_t(c.a[0]), size);
  FL_SERVER.mapsChanged = true;
  return result;
}

long doRemap(const Call& c) {
  uint64_t old = uint64_t(c.a[0]), oldSize = roundUp(uint64_t(c.a[1])), size = roundUp(uint64_t(c.a[2]));
  if (c.a[3] & ~MREMAP_MAYMOVE) strange(c);
  if (!running()) {
    long at = pass(c);
    if (at < 0 && at > -4096) return at;
    forgetPages(old, oldSize);
    FL_SERVER.mapsChanged = true;
    return at;
  }
  if (size <= oldSize) {
    if (size < oldSize) hide(old + size, oldSize - size, c);
    return c.a[0];
  }
  if (!(c.a[3] & MREMAP_MAYMOVE)) return -ENOMEM;
  if (long refused = mapMore(long(size))) return refused;
  long at = raw(SYS_mmap, 0, long(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at < 0 && at > -4096) return at;
  note({Undo::Unmap, 0, uint64_t(at), size, {}}, c);
  if (!copyOut(at, reinterpret_cast<void*>(old), oldSize)) strange(c);
  hide(old, oldSize, c);
  return at;
}

long doBreak(const Call& c) {
  Server& s = FL_SERVER;
  uint64_t wanted = uint64_t(c.a[0]);
  if (wanted == 0) return long(s.brk);
  if (wanted > s.brkReal) {
    if (mapMore(long(wanted - s.brk))) return long(s.brk);
    if (raw(SYS_brk, long(wanted)) != long(wanted)) return long(s.brk);
    if (running()) note({Undo::Unmap, 1, s.brkReal, 0, {}}, c);
    s.brkReal = wanted;
    s.mapsChanged = true;
    useLargeHeap(wanted);
  } else if (wanted < s.brk) {
    // What is given back and taken again is zero.
    memset(reinterpret_cast<void*>(wanted), 0, s.brk - wanted);
  }
  s.brk = wanted;
  return long(wanted);
}

long doAdvise(const Call& c) {
  if (c.a[2] != MADV_DONTNEED && c.a[2] != MADV_FREE) return 0;
  if (c.a[2] == MADV_FREE) return 0;
  if (!running()) {
    forgetPages(uint64_t(c.a[0]), uint64_t(c.a[1]));
    return pass(c);
  }
  if (!isReadable(c.a[0], size_t(c.a[1]))) return -ENOMEM;
  memset(reinterpret_cast<void*>(c.a[0]), 0, size_t(c.a[1]));
  return 0;
}

long doProtect(const Call& c) {
  FL_SERVER.mapsChanged = true;
  // All that we can bring back is plain memory.
  if (running()) {
    if (!mappedHere(uint64_t(c.a[0]), roundUp(uint64_t(c.a[1])))) strange(c);
  }
  return pass(c);
}

} // namespace fl
