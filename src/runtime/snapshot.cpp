// Memory at a point of the run, and going back to it.
//
// Every page of private writable memory has a copy in the server's own memory, brought up to date when a
// snapshot is taken. The kernel tells which pages were written since: all are write-protected by userfaultfd
// in its asynchronous kind, where a write just clears the mark, and PAGEMAP_SCAN lists those without it. So
// going back costs one system call and a copy of each page that the experiment wrote. Those are not
// protected again: the next experiment from the same point will likely write them too, and needs no fault.
#include "runtime/experiment.h"
#include "runtime/raw.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>

namespace fl {
namespace {

// Newer than the kernel headers that we are built with.
struct PageRegion {
  uint64_t start, end, categories;
};
struct ScanRequest {
  uint64_t size, flags, start, end, walkEnd, vec, vecLength, maxPages;
  uint64_t inverted, mask, anyOf, returned;
};
constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanRequest);
constexpr uint64_t kWriteProtectAllowed = 1, kWritten = 2, kPresent = 8, kSwapped = 16;
constexpr uint64_t kProtectMatching = 1;
constexpr uintptr_t kStackRoom = 64 << 20;
constexpr uint64_t kWriteProtectAsync = 1 << 15;

// Copies of pages, found by hashing. Lives behind Server.
constexpr uint64_t kSlots = 1 << 22; // 16 GiB of pages
struct Store {
  uint64_t pages[kSlots]; // page number + 1; 0: free
  uint32_t copies[kSlots];
  uint32_t count;
  PageRegion found[4096];
  struct {
    uintptr_t begin, end;
  } known[2048]; // registered with userfaultfd
  uint32_t knownCount;
  struct {
    uintptr_t begin, end;
  } scanned[512]; // what is looked at: the program's memory and its shadow, not the terabytes between
  uint32_t scannedCount;
  char text[1 << 16]; // of /proc/self/maps
};
constexpr uintptr_t kStoreAddress = FL_SERVER_ADDRESS + (64 << 20);
constexpr uintptr_t kCopiesAddress = kStoreAddress + (256 << 20);
constexpr uintptr_t kServerEnd = kCopiesAddress + kSlots * kPage;
Store& store() { return *reinterpret_cast<Store*>(kStoreAddress); }
uint8_t* copyAt(uint32_t number) {
  return reinterpret_cast<uint8_t*>(kCopiesAddress + uint64_t(number) * kPage);
}

uint64_t slotOf(uintptr_t page) {
  uint64_t number = page / kPage;
  uint64_t slot = (number * 0x9e3779b97f4a7c15ull) >> 42;
  while (store().pages[slot] != 0 && store().pages[slot] != number + 1) slot = (slot + 1) & (kSlots - 1);
  return slot;
}

void copyPage(void* to, const void* from) {
  size_t words = kPage / 8;
  asm volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

void zeroPage(void* page) {
  size_t words = kPage / 8;
  asm volatile("rep stosq" : "+D"(page), "+c"(words) : "a"(0) : "memory");
}

void keepPage(uintptr_t page) {
  uint64_t slot = slotOf(page);
  if (store().pages[slot] == 0) {
    if (store().count >= kSlots / 2)
      fail("the program has too much memory for experiments in one process", "use --method fresh");
    store().pages[slot] = page / kPage + 1;
    store().copies[slot] = store().count++;
  }
  copyPage(copyAt(store().copies[slot]), reinterpret_cast<void*>(page));
  ++FL_EXPERIMENTS.pages_saved;
}

void restorePage(uintptr_t page) {
  uint64_t slot = slotOf(page);
  if (store().pages[slot] == 0)
    zeroPage(reinterpret_cast<void*>(page)); // it was not there yet
  else
    copyPage(reinterpret_cast<void*>(page), copyAt(store().copies[slot]));
  ++FL_EXPERIMENTS.pages_restored;
}

template <class Visit> void eachWrittenIn(uintptr_t begin, uintptr_t end, uint64_t flags, Visit visit) {
  ScanRequest request = {};
  request.size = sizeof request;
  request.flags = flags;
  request.start = begin;
  request.end = end;
  request.vec = uint64_t(store().found);
  request.vecLength = sizeof store().found / sizeof store().found[0];
  request.mask = request.returned = kWriteProtectAllowed | kWritten;
  // Not what was never there: marks for all of the shadow's terabytes would never end.
  request.anyOf = kPresent | kSwapped;
  while (request.start < request.end) {
    long count = raw(SYS_ioctl, FL_SERVER.pagemap, long(kPagemapScan), long(&request));
    if (count < 0) fail("the kernel does not tell which pages were written", "use --method fresh");
    for (long k = 0; k < count; ++k)
      for (uintptr_t page = store().found[k].start; page < store().found[k].end; page += kPage) visit(page);
    request.start = request.walkEnd;
  }
}

template <class Visit> void eachWritten(uint64_t flags, Visit visit) {
  for (uint32_t k = 0; k < store().scannedCount; ++k)
    eachWrittenIn(store().scanned[k].begin, store().scanned[k].end, flags, visit);
}

// Areas close to each other are one: the walk over a gap is cheaper than another system call.
void scanToo(uintptr_t begin, uintptr_t end) {
  constexpr uintptr_t kGap = 64 << 20;
  for (uint32_t k = 0; k < store().scannedCount; ++k) {
    auto& area = store().scanned[k];
    if (begin > area.end + kGap || end + kGap < area.begin) continue;
    if (begin < area.begin) area.begin = begin;
    if (end > area.end) area.end = end;
    return;
  }
  if (store().scannedCount == sizeof store().scanned / sizeof store().scanned[0])
    fail("the program has too many areas of memory for experiments in one process", "use --method fresh");
  store().scanned[store().scannedCount++] = {begin, end};
}

// "begin-end rwxp offset device inode path"
struct Line {
  uintptr_t begin, end;
  bool writable, readable, isPrivate, isFile, isStack;
};

uint64_t parseHex(const char*& at) {
  uint64_t value = 0;
  for (;; ++at) {
    char c = *at;
    if (c >= '0' && c <= '9')
      value = value * 16 + uint64_t(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value * 16 + uint64_t(c - 'a' + 10);
    else
      return value;
  }
}

Line parseLine(const char*& at) {
  Line line;
  line.begin = parseHex(at);
  ++at;
  line.end = parseHex(at);
  ++at;
  line.readable = at[0] == 'r';
  line.writable = at[1] == 'w';
  line.isPrivate = at[3] == 'p';
  at += 5;
  parseHex(at); // offset
  ++at;
  while (*at != ' ') ++at; // device
  ++at;
  line.isFile = *at != '0';
  line.isStack = false;
  for (; *at != '\n'; ++at)
    if (at[0] == '[' && at[1] == 's' && at[2] == 't') line.isStack = true;
  ++at;
  return line;
}

bool isKnown(uintptr_t begin, uintptr_t end) {
  for (uint32_t k = 0; k < store().knownCount; ++k)
    if (store().known[k].begin <= begin && end <= store().known[k].end) return true;
  return false;
}

bool isShadow(uintptr_t address) {
  for (const Area& area : kAreas) {
    uintptr_t begin = uintptr_t(shadowOf(reinterpret_cast<void*>(area.begin))) & ~(kPage - 1);
    if (address >= begin && address < begin + (area.end - area.begin) + kPage) return true;
  }
  return false;
}

void registerRegion(const Line& line) {
  if (!line.readable || (line.begin >= FL_SERVER_ADDRESS && line.begin < kServerEnd)) return;
  bool shadows = isShadow(line.begin);
  // The stack grows down.
  uintptr_t begin = line.isStack ? line.begin - kStackRoom : line.begin;
  // What is only read has a shadow too, which is written when it is first read.
  if (!shadows && hasShadow(begin, line.end - begin)) {
    uintptr_t shadow = uintptr_t(shadowOf(reinterpret_cast<void*>(begin))) & ~(kPage - 1);
    scanToo(shadow, shadow + (line.end - begin) + kPage);
  }
  if (!line.writable || !line.isPrivate) return;
  uffdio_register request = {};
  request.range = {line.begin, line.end - line.begin};
  request.mode = UFFDIO_REGISTER_MODE_WP;
  raw(SYS_ioctl, FL_SERVER.userfault, long(UFFDIO_REGISTER), long(&request));
  if (shadows) return; // looked at where there is something that it is the shadow of
  scanToo(begin, line.end);
  if (isKnown(line.begin, line.end)) return;
  if (store().knownCount < sizeof store().known / sizeof store().known[0])
    store().known[store().knownCount++] = {line.begin, line.end};
  // A page of a file that nobody has touched yet looks written once it is read.
  if (line.isFile)
    for (uintptr_t page = line.begin; page < line.end; page += kPage) keepPage(page);
}

void registerRegions() {
  int fd = int(raw(SYS_open, long("/proc/self/maps"), O_RDONLY | O_CLOEXEC));
  if (fd < 0) fail("/proc/self/maps cannot be read", "mount /proc");
  size_t size = 0;
  for (;;) {
    long got = raw(SYS_read, fd, long(store().text + size), long(sizeof store().text - size - 1));
    if (got <= 0) break;
    size += size_t(got);
  }
  raw(SYS_close, fd);
  store().text[size] = 0;
  for (const char* at = store().text; at < store().text + size;) registerRegion(parseLine(at));
}

int moveUp(int fd) {
  if (fd < 0) return fd;
  int high = int(raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kMostDescriptors - 16));
  if (high >= 0) raw(SYS_close, fd);
  return high < 0 ? fd : high;
}

} // namespace

bool startSnapshots() {
  long at = raw(SYS_mmap, long(FL_SERVER_ADDRESS), long(kServerEnd - FL_SERVER_ADDRESS),
                PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (at != long(FL_SERVER_ADDRESS)) return false;
  // A large program's copies are made at once.
  raw(SYS_madvise, long(kCopiesAddress), long(kSlots * kPage), MADV_HUGEPAGE);
  // Faults of the kernel itself, for whom it is forbidden to others than root, are no matter in this kind.
  FL_SERVER.userfault = moveUp(int(raw(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY)));
  if (FL_SERVER.userfault < 0) return false;
  uffdio_api api = {UFFD_API, kWriteProtectAsync, 0};
  if (raw(SYS_ioctl, FL_SERVER.userfault, long(UFFDIO_API), long(&api)) != 0) return false;
  FL_SERVER.pagemap = moveUp(int(raw(SYS_open, long("/proc/self/pagemap"), O_RDONLY | O_CLOEXEC)));
  if (FL_SERVER.pagemap < 0) return false;
  FL_SERVER.mapsChanged = true;
  return true;
}

void takeSnapshot() {
  if (FL_SERVER.mapsChanged) registerRegions();
  FL_SERVER.mapsChanged = false;
  eachWritten(kProtectMatching, keepPage);
  ++FL_EXPERIMENTS.snapshots;
}

void forgetPages(uintptr_t begin, uintptr_t size) {
  auto clear = [&](uint64_t slot) {
    if (store().pages[slot] != 0) zeroPage(copyAt(store().copies[slot]));
  };
  if (size / kPage < kSlots / 16) {
    for (uintptr_t page = begin & ~(kPage - 1); page < begin + size; page += kPage) clear(slotOf(page));
    return;
  }
  for (uint64_t slot = 0; slot < kSlots; ++slot)
    if (store().pages[slot] > begin / kPage && store().pages[slot] <= (begin + size) / kPage) clear(slot);
}

void rollBackShadow(uintptr_t begin, uintptr_t size) {
  if (size == 0 || !hasShadow(begin, size)) return;
  uintptr_t shadow = uintptr_t(shadowOf(reinterpret_cast<void*>(begin))) & ~(kPage - 1);
  eachWrittenIn(shadow, shadow + size + kPage, 0, restorePage);
}

void rollBack() {
  eachWritten(0, restorePage);
  ++FL_EXPERIMENTS.rollbacks;
}

} // namespace fl
