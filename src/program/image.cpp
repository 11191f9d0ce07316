#include "program/image.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace faultline::fir {
namespace {

constexpr char kMagic[8] = {'F', 'L', 'T', 'F', 'I', 'R', '\0', char(kVersion)};

struct ArrayHeader {
  uint64_t offset;
  uint64_t count;
  uint64_t elementSize;
};

#define FL_FIR_COUNT(type, name) +1
constexpr size_t kArrays = 0 FL_FIR_ARRAYS(FL_FIR_COUNT);
#undef FL_FIR_COUNT

struct FileHeader {
  char magic[8];
  uint64_t hash;
  ArrayHeader arrays[kArrays];
};

uint64_t alignUp(uint64_t n) { return (n + 15) & ~uint64_t(15); }

template <class T>
Result<std::span<const T>> arrayAt(std::span<const char> file, const ArrayHeader& a, const char* name) {
  if (a.elementSize != sizeof(T) || a.offset > file.size() || a.offset % 16 != 0 ||
      a.count > (file.size() - a.offset) / sizeof(T))
    return errorf("damaged FIR file: array '{}' does not lie within it", name);
  return std::span<const T>(reinterpret_cast<const T*>(file.data() + a.offset), a.count);
}

Result<Image> imageOver(std::span<const char> file, std::shared_ptr<const void> storage) {
  if (file.size() < sizeof(FileHeader)) return errorf("damaged FIR file: too short");
  FileHeader header;
  memcpy(&header, file.data(), sizeof header);
  if (memcmp(header.magic, kMagic, sizeof kMagic) != 0)
    return errorf("not a FIR file of this version of Faultline; record the run again");
  Image image;
  image.hash = header.hash;
  image.storage = std::move(storage);
  size_t k = 0;
#define FL_FIR_READ(type, name)                                                                              \
  {                                                                                                          \
    FL_TRY(array, arrayAt<type>(file, header.arrays[k++], #name));                                           \
    image.name = array;                                                                                      \
  }
  FL_FIR_ARRAYS(FL_FIR_READ)
#undef FL_FIR_READ
  if (image.strings.empty() || image.strings.back() != '\0')
    return errorf("damaged FIR file: strings do not end");
  return image;
}

} // namespace

std::string_view Image::string(uint32_t offset) const {
  if (offset >= strings.size()) return {};
  return std::string_view(strings.data() + offset);
}

uint32_t Image::functionOf(uint32_t local) const {
  auto it = std::upper_bound(functions.begin(), functions.end(), local,
                             [](uint32_t id, const Function& f) { return id < f.firstInstruction; });
  if (it == functions.begin()) return kNone;
  --it;
  return local < it->firstInstruction + it->instructionCount ? uint32_t(it - functions.begin()) : kNone;
}

std::string Image::sourcePath(const Location& location) const {
  if (location.file >= files.size()) return {};
  std::string path(string(files[location.file].path));
  if (path.empty() || path.front() == '/') return path;
  std::string directory(string(files[location.file].directory));
  return directory.empty() ? path : directory + "/" + path;
}

uint32_t ImageBuilder::addString(std::string_view text) {
  if (strings.empty()) strings.push_back('\0'); // offset 0 is the empty string
  if (text.empty()) return 0;
  auto offset = uint32_t(strings.size());
  strings.insert(strings.end(), text.begin(), text.end());
  strings.push_back('\0');
  return offset;
}

std::vector<char> ImageBuilder::finish(uint64_t hash) const {
  FileHeader header{};
  memcpy(header.magic, kMagic, sizeof kMagic);
  header.hash = hash;
  std::vector<char> out(alignUp(sizeof header));
  size_t k = 0;
  auto append = [&](const void* data, size_t count, size_t size) {
    header.arrays[k++] = {out.size(), count, size};
    auto* first = static_cast<const char*>(data);
    if (count) out.insert(out.end(), first, first + count * size);
    out.resize(alignUp(out.size()));
  };
  static const char kEmptyStrings[1] = {'\0'};
#define FL_FIR_WRITE(type, name)                                                                             \
  if (std::is_same_v<type, char> && name.empty())                                                            \
    append(kEmptyStrings, 1, 1);                                                                             \
  else                                                                                                       \
    append(name.data(), name.size(), sizeof(type));
  FL_FIR_ARRAYS(FL_FIR_WRITE)
#undef FL_FIR_WRITE
  memcpy(out.data(), &header, sizeof header);
  return out;
}

Result<Image> openImage(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errorf("cannot open {}: {}", path, strerror(errno));
  struct stat st;
  if (fstat(fd, &st) != 0 || st.st_size == 0) {
    close(fd);
    return errorf("cannot read {}: empty", path);
  }
  auto size = size_t(st.st_size);
  void* memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (memory == MAP_FAILED) return errorf("cannot map {}: {}", path, strerror(errno));
  std::shared_ptr<const void> storage(memory, [size](const void* m) { munmap(const_cast<void*>(m), size); });
  return imageOver({static_cast<const char*>(memory), size}, std::move(storage));
}

Result<Image> imageFromBytes(std::vector<char> bytes) {
  // operator new aligns to 16, as the arrays need.
  auto storage = std::make_shared<std::vector<char>>(std::move(bytes));
  std::span<const char> file(storage->data(), storage->size());
  return imageOver(file, std::move(storage));
}

} // namespace faultline::fir
