// Memory at a point of the run, and going back to it.
//
// The kernel tells which pages were written since a snapshot: all are write-protected by userfaultfd in its
// asynchronous kind, where a write just clears the mark, and PAGEMAP_SCAN lists those without it. So going
// back costs one system call and a copy of each page that the experiment wrote.
//
// - What was written when a snapshot is taken is copied (page_store.cpp). For a large program that would be
//   all of its memory at first: there a fork keeps it (donor.cpp), and the copy is made when a page is first
//   brought back.
// - A page without a mark costs a copy at each snapshot and each way back, one with a mark a fault when it is
//   written, which is several times more. A run tends to write the same pages again and again, so marks are
//   set only now and then.
// - The list costs a walk over the page tables, 2 MB in one step where they are one large page. So a large
//   program's memory is made of large pages: from the start where it asks for much at once, else when enough
//   experiments were made for it to pay. The kernel splits those that are written.
#include "runtime/pages.h"
#include "runtime/raw.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

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
constexpr uint64_t kWriteProtectAllowed = 1, kWritten = 2, kPresent = 8, kSwapped = 16, kHuge = 64;
constexpr uint64_t kProtectMatching = 1;
constexpr uint64_t kWriteProtectAsync = 1 << 15;
constexpr int kCollapse = 25; // MADV_COLLAPSE
constexpr uintptr_t kLargePage = 2 << 20;

// More than so many pages at once are not copied, but left to a donor.
constexpr uint32_t kMostCopied = 4096;
// So many snapshots are taken without new marks, as long as no more than so many pages are without one.
constexpr uint32_t kUnmarkedSnapshots = 64, kMostUnmarked = 256;
// A program that maps so much at once gets large pages; the others after so many experiments.
constexpr uintptr_t kMuchAtOnce = 4 * kLargePage;
constexpr uint32_t kLargePagesAfter = 32;
// Less than this is not worth it: those that experiments write would only be split again.
constexpr uintptr_t kWorthLargePages = 128 << 20;

// Beside Server: not rolled back.
struct Snapshots {
  PageRegion found[4096];
  uint32_t sinceMarks;
  uint32_t unmarked; // pages, when last looked at
  bool donorFailed;
  uint32_t untilLargePages; // ways back; 0: not any more
};
constexpr uintptr_t kSnapshotsAddress = FL_SERVER_ADDRESS + (12 << 20);
static_assert(sizeof(Server) <= (12 << 20) && sizeof(Snapshots) <= (4 << 20));
Snapshots& snapshots() { return *reinterpret_cast<Snapshots*>(kSnapshotsAddress); }

constexpr auto nothing = [](const PageRegion&) { return true; };

// `visit` gets areas of pages, and says whether to go on.
template <class Visit> bool scan(Range range, ScanRequest request, Visit visit) {
  request.size = sizeof request;
  request.start = range.begin;
  request.end = range.end;
  request.vec = uint64_t(snapshots().found);
  request.vecLength = sizeof snapshots().found / sizeof snapshots().found[0];
  while (request.start < request.end) {
    long count = raw(SYS_ioctl, FL_SERVER.pagemap, long(kPagemapScan), long(&request));
    if (count < 0) fail("the kernel does not tell which pages were written", "use --method fresh");
    for (long k = 0; k < count; ++k)
      if (!visit(snapshots().found[k])) return false;
    request.start = request.walkEnd;
  }
  return true;
}

ScanRequest writtenPages(uint64_t flags) {
  ScanRequest request = {};
  request.flags = flags;
  request.mask = request.returned = kWriteProtectAllowed | kWritten;
  // Not what was never there: marks for all of the shadow's terabytes would never end.
  request.anyOf = kPresent | kSwapped;
  return request;
}

template <class Visit> bool scanAll(const ScanRequest& request, Visit visit) {
  uint32_t count;
  const Range* ranges = scannedRanges(count);
  for (uint32_t k = 0; k < count; ++k)
    if (!scan(ranges[k], request, visit)) return false;
  return true;
}

void restoreRegion(const PageRegion& region) {
  for (uintptr_t page = region.start; page < region.end; page += kPage) restorePage(page);
}

int moveUp(int fd) {
  if (fd < 0) return fd;
  int high = int(raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kMostDescriptors - 16));
  if (high >= 0) raw(SYS_close, fd);
  return high < 0 ? fd : high;
}

void removeMarks() {
  uint32_t count;
  const Range* ranges = scannedRanges(count);
  ScanRequest request = {};
  request.mask = kWriteProtectAllowed | kWritten;
  request.inverted = kWritten;
  request.returned = kPresent;
  for (uint32_t k = 0; k < count; ++k)
    scan(ranges[k], request, [](const PageRegion& region) {
      uffdio_writeprotect remove = {{region.start, region.end - region.start}, 0};
      raw(SYS_ioctl, FL_SERVER.userfault, long(UFFDIO_WRITEPROTECT), long(&remove));
      return true;
    });
}

// What is there in whole and could be large pages.
template <class Visit> void eachLargeRange(Visit visit) {
  ScanRequest request = {};
  request.mask = kWriteProtectAllowed | kPresent | kHuge;
  request.inverted = kHuge;
  request.returned = kPresent;
  scanAll(request, [&](const PageRegion& region) {
    uintptr_t begin = (region.start + kLargePage - 1) & ~(kLargePage - 1),
              end = region.end & ~(kLargePage - 1);
    if (begin < end) visit(begin, end - begin);
    return true;
  });
}

// Memory of which neither a copy nor a mark can be trusted.
void keepAll() {
  ScanRequest request = writtenPages(kProtectMatching);
  request.mask = kWriteProtectAllowed;
  scanAll(request, [](const PageRegion& region) {
    for (uintptr_t page = region.start; page < region.end; page += kPage) keepPage(page);
    return true;
  });
}

// All that is there now is kept by a donor.
void leaveToDonor() {
  if (!startDonor()) {
    snapshots().donorFailed = true;
    return keepAll();
  }
  dropPages();
  scanAll(writtenPages(kProtectMatching), nothing);
}

void leaveToDonorInLargePages() {
  uintptr_t could = 0;
  eachLargeRange([&](uintptr_t, uintptr_t size) { could += size; });
  if (could < kWorthLargePages) return;
  endDonor(); // what two processes share stays as it is
  removeMarks();
  // Where it fails it stays as it is.
  eachLargeRange(
      [](uintptr_t begin, uintptr_t size) { raw(SYS_madvise, long(begin), long(size), kCollapse); });
  leaveToDonor();
}

// False: there are too many.
bool keepWritten() {
  Snapshots& s = snapshots();
  bool mark = s.unmarked > kMostUnmarked || s.sinceMarks++ >= kUnmarkedSnapshots;
  if (mark) s.sinceMarks = 0;
  uint32_t count = 0, most = s.donorFailed ? ~0u : kMostCopied;
  return scanAll(writtenPages(mark ? kProtectMatching : 0), [&](const PageRegion& region) {
    count += uint32_t((region.end - region.start) / kPage);
    if (count > most) return false;
    for (uintptr_t page = region.start; page < region.end; page += kPage) keepPage(page);
    return true;
  });
}

// "size resident shared ..." in pages. What is resident and not kept has to be, if this is the first time.
bool hasMuchMemory() {
  char text[128];
  int fd = int(raw(SYS_open, long("/proc/self/statm"), O_RDONLY | O_CLOEXEC));
  if (fd < 0) return false;
  long got = raw(SYS_read, fd, long(text), sizeof text - 1);
  raw(SYS_close, fd);
  uint64_t resident = 0;
  long at = 0;
  while (at < got && text[at] != ' ') ++at;
  for (++at; at < got && text[at] != ' '; ++at) resident = resident * 10 + uint64_t(text[at] - '0');
  return resident > 2 * kMostCopied;
}

} // namespace

bool startSnapshots() {
  long at = raw(SYS_mmap, long(FL_SERVER_ADDRESS), long(kServerEnd - FL_SERVER_ADDRESS),
                PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (at != long(FL_SERVER_ADDRESS)) fail("cannot map memory for experiments", "free some");
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
  Snapshots& s = snapshots();
  bool much = isDonorWorn();
  if (FL_SERVER.mapsChanged) {
    watchRegions();
    FL_SERVER.mapsChanged = false;
    much |= !hasDonor() && !s.donorFailed && hasMuchMemory();
  }
  bool hadDonor = hasDonor();
  if (much || !keepWritten()) leaveToDonor();
  if (hasDonor() && !hadDonor) s.untilLargePages = kLargePagesAfter;
  ++FL_EXPERIMENTS.snapshots;
}

void useLargePages(uintptr_t begin, uintptr_t size) {
  if (size < kMuchAtOnce) return;
  raw(SYS_madvise, long(begin), long(size), MADV_HUGEPAGE);
  if (!hasShadow(begin, size)) return;
  uintptr_t shadow = uintptr_t(shadowOf(reinterpret_cast<void*>(begin))) & ~(kPage - 1);
  raw(SYS_madvise, long(shadow), long(size + kPage), MADV_HUGEPAGE);
}

void rollBackShadow(uintptr_t begin, uintptr_t size) {
  if (size == 0 || !hasShadow(begin, size)) return;
  uintptr_t shadow = uintptr_t(shadowOf(reinterpret_cast<void*>(begin))) & ~(kPage - 1);
  scan({shadow, shadow + size + kPage}, writtenPages(0), [](const PageRegion& region) {
    restoreRegion(region);
    return true;
  });
}

void rollBack() {
  uint32_t count = 0;
  scanAll(writtenPages(0), [&](const PageRegion& region) {
    count += uint32_t((region.end - region.start) / kPage);
    restoreRegion(region);
    return true;
  });
  snapshots().unmarked = count;
  if (snapshots().untilLargePages && --snapshots().untilLargePages == 0) leaveToDonorInLargePages();
  ++FL_EXPERIMENTS.rollbacks;
}

} // namespace fl
