#include "compiler/elf_section.h"

#include "program/elf_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace faultline::compiler {

namespace {

constexpr uint64_t kAlignment = 16;

// What the file looks like now, and what is to be written behind it.
struct Addition {
  Elf64_Ehdr header{};
  std::vector<Elf64_Shdr> table;
  std::string tail; // starts at `start` in the file
  uint64_t start = 0;

  uint64_t put(std::string_view bytes) {
    tail.resize((tail.size() + kAlignment - 1) / kAlignment * kAlignment);
    uint64_t offset = start + tail.size();
    tail.append(bytes);
    return offset;
  }
};

void readTable(std::string_view bytes, Addition& addition, size_t count) {
  std::memcpy(&addition.header, bytes.data(), sizeof addition.header);
  addition.table.resize(count);
  std::memcpy(addition.table.data(), bytes.data() + addition.header.e_shoff, count * sizeof(Elf64_Shdr));
  addition.start = (bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
}

// readElf has checked the table; this only decodes where the names are.
size_t nameTableIndex(const Addition& addition) {
  return addition.header.e_shstrndx == SHN_XINDEX ? addition.table[0].sh_link : addition.header.e_shstrndx;
}

void extendSection(Addition& addition, Elf64_Shdr& section, std::string_view old, std::string_view data) {
  std::string joined(old);
  joined.resize((joined.size() + kAlignment - 1) / kAlignment * kAlignment);
  joined.append(data);
  section.sh_offset = addition.put(joined);
  section.sh_size = joined.size();
}

void addSection(Addition& addition, std::string_view names, std::string_view name, std::string_view data) {
  std::string newNames(names);
  Elf64_Shdr section{};
  section.sh_name = static_cast<uint32_t>(newNames.size());
  section.sh_type = SHT_PROGBITS;
  section.sh_addralign = kAlignment;
  section.sh_size = data.size();
  section.sh_offset = addition.put(data);
  newNames.append(name);
  newNames.push_back('\0');
  Elf64_Shdr& nameTable = addition.table[nameTableIndex(addition)];
  nameTable.sh_offset = addition.put(newNames);
  nameTable.sh_size = newNames.size();
  addition.table.push_back(section);
}

void placeTable(Addition& addition) {
  size_t count = addition.table.size();
  // A count that does not fit the header stands in section 0 (ELF's own rule).
  if (count >= SHN_LORESERVE) {
    addition.table[0].sh_size = count;
    addition.header.e_shnum = 0;
  } else {
    addition.header.e_shnum = static_cast<uint16_t>(count);
  }
  std::string_view raw(reinterpret_cast<const char*>(addition.table.data()), count * sizeof(Elf64_Shdr));
  addition.header.e_shoff = addition.put(raw);
}

bool writeAt(int fd, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    ssize_t wrote = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(wrote));
    offset += static_cast<uint64_t>(wrote);
  }
  return true;
}

// A linker may write its output without the owner's write bit (a program with mode 0555 from a script).
int openForWriting(const std::string& path) {
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd >= 0 || errno != EACCES) return fd;
  struct stat info{};
  if (stat(path.c_str(), &info) != 0 || chmod(path.c_str(), info.st_mode | S_IWUSR) != 0) return -1;
  fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  chmod(path.c_str(), info.st_mode);
  return fd;
}

size_t indexOf(const program::ElfFile& elf, std::string_view name) {
  auto found = std::ranges::find(elf.sections, name, &program::ElfSection::name);
  return static_cast<size_t>(found - elf.sections.begin());
}

Result<void> write(const std::string& path, const Addition& addition) {
  int fd = openForWriting(path);
  if (fd < 0) return errorf("cannot write {}: {}", path, std::strerror(errno));
  std::string_view header(reinterpret_cast<const char*>(&addition.header), sizeof addition.header);
  bool done = writeAt(fd, addition.tail, addition.start) && writeAt(fd, header, 0);
  int reason = errno;
  if (close(fd) != 0 && done) return errorf("cannot write {}: {}", path, std::strerror(errno));
  if (!done) return errorf("cannot write {}: {}", path, std::strerror(reason));
  return {};
}

template <class Change> Result<void> rewrite(const std::string& path, Change change) {
  Addition addition;
  {
    FL_TRY(file, program::MappedFile::open(path));
    FL_TRY(elf, program::readElf(file.bytes()));
    if (elf.sections.empty()) return errorf("{} has no section table", path);
    readTable(file.bytes(), addition, elf.sections.size());
    FL_CHECK(change(elf, addition));
    placeTable(addition);
  }
  return write(path, addition);
}

} // namespace

Result<void> appendToSection(const std::string& path, std::string_view name, std::string_view data) {
  return rewrite(path, [&](const program::ElfFile& elf, Addition& addition) -> Result<void> {
    if (size_t existing = indexOf(elf, name); existing < elf.sections.size())
      extendSection(addition, addition.table[existing], elf.sections[existing].contents, data);
    else
      addSection(addition, elf.sections[nameTableIndex(addition)].contents, name, data);
    return {};
  });
}

Result<void> replaceSection(const std::string& path, std::string_view name, std::string_view data) {
  return rewrite(path, [&](const program::ElfFile& elf, Addition& addition) -> Result<void> {
    size_t existing = indexOf(elf, name);
    if (existing == elf.sections.size()) return errorf("{} has no section {}", path, name);
    extendSection(addition, addition.table[existing], {}, data);
    return {};
  });
}

} // namespace faultline::compiler
