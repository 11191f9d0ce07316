#include "experiment/cell_memory.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace faultline::experiment {
namespace {

// Only what is touched costs anything.
constexpr size_t kSize = size_t(1) << 30;
// More than this is given back to the system after a run.
constexpr size_t kKept = size_t(1) << 20;

} // namespace

Result<CellMemory> CellMemory::create() {
  void* base =
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return errorf("cannot reserve memory for experiments: {}", std::strerror(errno));
  new (base) Head;
  return CellMemory(static_cast<char*>(base));
}

CellMemory::CellMemory(CellMemory&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), used_(other.used_), mark_(other.mark_) {}

CellMemory::~CellMemory() {
  if (base_) munmap(base_, kSize);
}

void* CellMemory::take(size_t size) {
  size_t begin = (used_ + 15) & ~size_t(15);
  if (begin > kSize || size > kSize - begin) return nullptr;
  used_ = begin + size;
  return base_ + begin;
}

const char* CellMemory::copy(std::string_view bytes) {
  auto* place = static_cast<char*>(take(bytes.size() + 1));
  if (!place) return nullptr;
  std::memcpy(place, bytes.data(), bytes.size());
  place[bytes.size()] = 0;
  return place;
}

CellFile CellMemory::place(const recording::KeptFile& file) {
  return {file.kind, copy(file.path), copy(file.bytes), file.bytes.size(), true, file.mode, file.modified};
}

char** CellMemory::list(const std::vector<std::string>& strings) {
  auto** words = array<char*>(strings.size() + 1);
  if (!words) return nullptr;
  for (size_t i = 0; i < strings.size(); ++i)
    if (!(words[i] = const_cast<char*>(copy(strings[i])))) return nullptr;
  words[strings.size()] = nullptr;
  return words;
}

void CellMemory::rewind() {
  size_t kept = (mark_ + kKept + 4095) & ~size_t(4095);
  if (used_ > kept) madvise(base_ + kept, used_ - kept, MADV_REMOVE);
  used_ = mark_;
}

} // namespace faultline::experiment
