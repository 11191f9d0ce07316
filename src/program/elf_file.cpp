#include "program/elf_file.h"

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace faultline::program {

namespace {

// The `size` bytes at `offset`, or nothing if the file is too short for them.
std::optional<std::string_view> slice(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.substr(offset, size);
}

// Copies a structure out: the file need not align it.
template <class T> std::optional<T> load(std::string_view bytes, uint64_t offset) {
  auto raw = slice(bytes, offset, sizeof(T));
  if (!raw) return std::nullopt;
  T value;
  std::memcpy(&value, raw->data(), sizeof(T));
  return value;
}

std::string_view nameAt(std::string_view names, uint32_t offset) {
  if (offset >= names.size()) return {};
  std::string_view rest = names.substr(offset);
  size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view{} : rest.substr(0, end);
}

Error cutShort(const char* what) { return errorf("the file is damaged: its {} lies outside it", what); }

// Counts that do not fit into the ELF header stand in section 0.
struct TableExtent {
  uint64_t count = 0;
  uint32_t names = 0;
};

Result<TableExtent> sectionTable(std::string_view bytes, const Elf64_Ehdr& header) {
  if (header.e_shoff == 0) return TableExtent{};
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return Error{"the file is damaged: odd section header size"};
  auto first = load<Elf64_Shdr>(bytes, header.e_shoff);
  if (!first) return cutShort("section table");
  TableExtent table{header.e_shnum, header.e_shstrndx};
  if (table.count == 0) table.count = first->sh_size;
  if (table.names == SHN_XINDEX) table.names = first->sh_link;
  if (table.count > bytes.size() / sizeof(Elf64_Shdr)) return cutShort("section table");
  if (!slice(bytes, header.e_shoff, table.count * sizeof(Elf64_Shdr))) return cutShort("section table");
  if (table.names >= table.count) return cutShort("section name table");
  return table;
}

} // namespace

Result<MappedFile> MappedFile::open(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errorf("cannot open {}: {}", path, std::strerror(errno));
  struct stat info{};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return errorf("{} is not a regular file", path);
  }
  size_t size = static_cast<size_t>(info.st_size);
  void* data = size == 0 ? nullptr : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (data == MAP_FAILED) return errorf("cannot read {}: {}", path, std::strerror(errno));
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_) munmap(const_cast<char*>(data_), size_);
}

const ElfSection* ElfFile::find(std::string_view name) const {
  for (const ElfSection& section : sections)
    if (section.name == name) return &section;
  return nullptr;
}

bool looksLikeElf(std::string_view bytes) { return bytes.starts_with(std::string_view(ELFMAG, SELFMAG)); }

Result<ElfFile> readElf(std::string_view bytes) {
  if (!looksLikeElf(bytes)) return Error{"not an ELF file"};
  auto header = load<Elf64_Ehdr>(bytes, 0);
  if (!header) return cutShort("header");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return Error{"not a 64-bit little-endian ELF file: Faultline works on x86-64 and AArch64 programs"};
  auto table = sectionTable(bytes, *header);
  if (!table) return table.error();

  ElfFile file{header->e_type, header->e_machine, {}};
  if (table->count == 0) return file;
  auto headerAt = [&](uint64_t index) {
    return *load<Elf64_Shdr>(bytes, header->e_shoff + index * sizeof(Elf64_Shdr));
  };
  Elf64_Shdr namesHeader = headerAt(table->names);
  auto names = slice(bytes, namesHeader.sh_offset, namesHeader.sh_size);
  if (!names) return cutShort("section name table");
  for (uint64_t i = 0; i < table->count; ++i) {
    Elf64_Shdr section = headerAt(i);
    bool occupies = section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL;
    auto contents = occupies ? slice(bytes, section.sh_offset, section.sh_size) : std::string_view{};
    if (!contents) return cutShort("section");
    file.sections.push_back({nameAt(*names, section.sh_name), *contents, section.sh_type, section.sh_flags});
  }
  return file;
}

} // namespace faultline::program
