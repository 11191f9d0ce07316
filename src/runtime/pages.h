// What the files that keep and bring back memory share (snapshot.cpp tells how they work together).
#pragma once

#include "runtime/experiment.h"

namespace fl {

// page_store.cpp: copies of single pages, in memory of the server's own.
inline constexpr uint64_t kStoreSlots = 1 << 22; // 16 GiB of pages
inline constexpr uintptr_t kStoreAddress = FL_SERVER_ADDRESS + (64 << 20);
inline constexpr uintptr_t kCopiesAddress = kStoreAddress + (256 << 20);
inline constexpr uintptr_t kServerEnd = kCopiesAddress + kStoreSlots * kPage;

void keepPage(uintptr_t page);    // as it is now
void restorePage(uintptr_t page); // as it was kept; else as the donor has it; else zero
void dropPages();                 // none is kept any more

// donor.cpp: a fork of this process that does nothing but keep its memory as it was then.
bool startDonor(); // in place of the one before; false: not possible here
void endDonor();
bool hasDonor();
bool readDonor(uintptr_t page, void* to);          // false: it has none there
void forgetDonor(uintptr_t begin, uintptr_t size); // what it has there is not what was there
bool isDonorWorn();                                // too much was forgotten: time for a new one

// regions.cpp: which memory is watched for writes.
struct Range {
  uintptr_t begin, end;
};
void watchRegions(); // all there is now
// A file with the text of /proc/self/maps, without what lies there for the sake of experiments; below 0: an
// error.
long openOwnMaps();
void unwatch(uintptr_t begin, uintptr_t size); // unmapped, or mapped anew
// The program's memory and its shadow, not the terabytes between.
const Range* scannedRanges(uint32_t& count);

} // namespace fl
