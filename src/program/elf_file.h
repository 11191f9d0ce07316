// A file on disk and the section table of the ELF64 inside it. Nothing in the file is trusted: every offset,
// size and name is checked against the bytes that are there, so a cut or hostile file is an Error, never a
// fault. Needs no LLVM: the reader of a program's records is linked into small tools too.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::program {

// The bytes of a regular file, mapped read-only for as long as the object lives. Moving it keeps the views.
class MappedFile {
public:
  static Result<MappedFile> open(const std::string& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }

private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}
  const char* data_ = nullptr;
  size_t size_ = 0;
};

struct ElfSection {
  std::string_view name;
  std::string_view contents; // empty for sections that take no room in the file (.bss)
  uint32_t type = 0;
  uint64_t flags = 0;
};

struct ElfFile {
  uint16_t type = 0;    // ET_REL, ET_EXEC, ET_DYN
  uint16_t machine = 0; // EM_X86_64, ...
  std::vector<ElfSection> sections;

  const ElfSection* find(std::string_view name) const;
};

// Views into `bytes`, which must outlive the answer. Little-endian ELF64 only: what clang makes on our hosts.
Result<ElfFile> readElf(std::string_view bytes);

bool looksLikeElf(std::string_view bytes);

} // namespace faultline::program
