// Which memory a snapshot has to look at: all that is private and writable, and the shadow of all that can be
// read, since reading it for the first time writes the shadow.
#include "runtime/own_maps.h"
#include "runtime/pages.h"
#include "runtime/raw.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

namespace fl {
namespace {

constexpr uintptr_t kStackRoom = 64 << 20;

struct Regions {
  Range known[4096]; // registered with userfaultfd, and kept if they are of a file
  uint32_t knownCount;
  Range scanned[512];
  uint32_t scannedCount;
  char text[16 << 20]; // of /proc/self/maps
};
constexpr uintptr_t kRegionsAddress = FL_SERVER_ADDRESS + (16 << 20);
static_assert(sizeof(Server) <= (16 << 20));
static_assert(kRegionsAddress + sizeof(Regions) < kStoreAddress - (2 << 20));
Regions& regions() { return *reinterpret_cast<Regions*>(kRegionsAddress); }

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

// Areas close to each other are one: the walk over a gap is cheaper than another system call.
void scanToo(uintptr_t begin, uintptr_t end) {
  constexpr uintptr_t kGap = 64 << 20;
  for (uint32_t k = 0; k < regions().scannedCount; ++k) {
    Range& area = regions().scanned[k];
    if (begin > area.end + kGap || end + kGap < area.begin) continue;
    if (begin < area.begin) area.begin = begin;
    if (end > area.end) area.end = end;
    return;
  }
  if (regions().scannedCount == sizeof regions().scanned / sizeof regions().scanned[0])
    fail("the program has too many areas of memory for experiments in one process", "use --method fresh");
  regions().scanned[regions().scannedCount++] = {begin, end};
}

bool isKnown(uintptr_t begin, uintptr_t end) {
  for (uint32_t k = 0; k < regions().knownCount; ++k)
    if (regions().known[k].begin <= begin && end <= regions().known[k].end) return true;
  return false;
}

bool isShadow(uintptr_t address) {
  for (const Area& area : kAreas) {
    uintptr_t begin = uintptr_t(shadowOf(reinterpret_cast<void*>(area.begin))) & ~(kPage - 1);
    if (address >= begin && address < begin + (area.end - area.begin) + kPage) return true;
  }
  return false;
}

void watch(const Line& line) {
  if (!line.readable || (line.begin >= FL_SERVER_ADDRESS && line.begin < kServerEnd)) return;
  bool shadows = isShadow(line.begin);
  // The stack grows down.
  uintptr_t begin = line.isStack ? line.begin - kStackRoom : line.begin;
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
  if (regions().knownCount < sizeof regions().known / sizeof regions().known[0])
    regions().known[regions().knownCount++] = {line.begin, line.end};
  // A page of a file that nobody has touched yet looks written once it is read.
  if (line.isFile)
    for (uintptr_t page = line.begin; page < line.end; page += kPage) keepPage(page);
}

} // namespace

// How much of regions().text it is.
static size_t readMaps() {
  int fd = int(raw(SYS_open, long("/proc/self/maps"), O_RDONLY | O_CLOEXEC));
  if (fd < 0) fail("/proc/self/maps cannot be read", "mount /proc");
  char* text = regions().text;
  size_t size = 0;
  for (;;) {
    long got = raw(SYS_read, fd, long(text + size), long(sizeof regions().text - size - 1));
    if (got <= 0) break;
    size += size_t(got);
  }
  raw(SYS_close, fd);
  if (size + 1 == sizeof regions().text)
    fail("the program has too many areas of memory for experiments in one process", "use --method fresh");
  text[size] = 0;
  return size;
}

void watchRegions() {
  const char* end = regions().text + readMaps();
  for (const char* at = regions().text; at < end;) watch(parseLine(at));
}

long openOwnMaps() {
  fl_experiments& shared = FL_EXPERIMENTS;
  char* stored = reinterpret_cast<char*>(FL_EXPERIMENT_ADDRESS + shared.maps);
  const char* text = stored;
  size_t size = FL_SERVER.sawMaps ? 0 : shared.maps_size;
  if (size == 0) {
    text = regions().text;
    size = keepOwnAreas(regions().text, readMaps());
    if (!FL_SERVER.sawMaps && !FL_SERVER.running && size <= shared.maps_room) {
      memcpy(stored, text, size);
      shared.maps_size = size;
    }
  }
  FL_SERVER.sawMaps = true;
  long fd = raw(SYS_memfd_create, long("maps"), MFD_CLOEXEC);
  if (fd < 0) return fd;
  raw(SYS_write, fd, long(text), long(size));
  raw(SYS_lseek, fd, 0, SEEK_SET);
  return fd;
}

void unwatch(uintptr_t begin, uintptr_t size) {
  for (uint32_t k = 0; k < regions().knownCount;) {
    Range& known = regions().known[k];
    if (begin < known.end && known.begin < begin + size)
      known = regions().known[--regions().knownCount];
    else
      ++k;
  }
}

const Range* scannedRanges(uint32_t& count) {
  count = regions().scannedCount;
  return regions().scanned;
}

} // namespace fl
