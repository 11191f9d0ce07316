#include "program/dynamic_symbols.h"

#include "abi/embedded.h"
#include "program/elf_file.h"

#include <cstring>
#include <elf.h>

namespace faultline::program {

Result<std::vector<std::string>> dynamicSymbols(const std::string& path) {
  FL_TRY(file, MappedFile::open(path));
  FL_TRY(elf, readElf(file.bytes()));
  std::vector<std::string> names;
  const ElfSection* table = elf.find(".dynsym");
  const ElfSection* strings = elf.find(".dynstr");
  if (!table || !strings) return names; // static, or not linked
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= table->contents.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, table->contents.data() + at, sizeof symbol);
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= strings->contents.size()) continue;
    std::string_view rest = strings->contents.substr(symbol.st_name);
    std::string_view name = rest.substr(0, rest.find('\0'));
    if (!name.empty()) names.emplace_back(name);
  }
  return names;
}

bool carriesRecords(const std::string& path) {
  auto file = MappedFile::open(path);
  if (!file) return false;
  auto elf = readElf(file->bytes());
  return elf && elf->find(FL_IR_SECTION) != nullptr;
}

} // namespace faultline::program
