#include "program/embedded_reader.h"

#include <algorithm>
#include <cstring>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::program {

namespace {

constexpr size_t kAlignment = 16;
constexpr size_t kMostNames = 5;
// Far above any real unit (sqlite's amalgamation is 20 MB), and zstd packs 128 KiB into no less than 4 bytes:
// both keep a forged header from asking for all memory.
constexpr uint64_t kLargestPayload = uint64_t{1} << 30;
constexpr uint64_t kMostPacking = (128 << 10) / 4;

Error damaged(const char* what) {
  return errorf("the embedded Faultline records are damaged ({}): build the program again", what);
}

Result<EmbeddedRecord> recordAt(std::string_view rest) {
  if (rest.size() < sizeof(fl_embedded_header)) return damaged("a header is cut short");
  fl_embedded_header header;
  std::memcpy(&header, rest.data(), sizeof header);
  if (std::memcmp(header.magic, FL_EMBEDDED_MAGIC, sizeof header.magic) != 0) {
    if (std::memcmp(header.magic, FL_EMBEDDED_MAGIC, 5) == 0)
      return Error{"the program was built by another version of Faultline: build it again"};
    return damaged("a header is not where it should be");
  }
  rest.remove_prefix(sizeof header);
  if (header.name_size > rest.size()) return damaged("a name is cut short");
  std::string_view name = rest.substr(0, header.name_size);
  rest.remove_prefix(header.name_size);
  if (header.payload_size > rest.size()) return damaged("a payload is cut short");
  return EmbeddedRecord{header.kind, std::string(name), header.hash, header.raw_size,
                        rest.substr(0, header.payload_size)};
}

size_t sizeInFile(const EmbeddedRecord& record) {
  size_t size = sizeof(fl_embedded_header) + record.name.size() + record.compressed.size();
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

Result<std::vector<EmbeddedRecord>> recordsOf(const ElfFile& elf, std::string_view section) {
  // ELF allows two sections of one name; a relocatable file from an odd linker may have them.
  std::vector<EmbeddedRecord> all;
  for (const ElfSection& candidate : elf.sections) {
    if (candidate.name != section) continue;
    FL_TRY(records, splitRecords(candidate.contents));
    all.insert(all.end(), records.begin(), records.end());
  }
  return all;
}

// What a link by faultline-cc was given that carries no IR, as far as its record can be read.
std::vector<std::string> inputsWithoutIr(const EmbeddedRecord& link) {
  auto text = unpack(link);
  auto json = nlohmann::json::parse(text ? *text : "", nullptr, false);
  std::vector<std::string> names;
  try {
    std::string folder = json.at("cwd").get<std::string>() + "/";
    for (const auto& input : json.at("inputs")) {
      std::string kind = input.at("kind"), path = input.at("path");
      bool code = kind == "object" || kind == "archive" || kind == "source";
      if (code && input.at("records").empty())
        names.push_back(path.starts_with(folder) ? path.substr(folder.size()) : path);
    }
  } catch (const nlohmann::json::exception&) {
    names.clear();
  }
  return names;
}

std::string whoseIrIsMissing(const std::vector<EmbeddedRecord>& links) {
  std::vector<std::string> names;
  if (!links.empty()) names = inputsWithoutIr(links.back());
  if (names.empty()) return "build it";
  size_t shown = std::min(names.size(), kMostNames);
  std::string text =
      fmt::format("{}", fmt::join(names.begin(), names.begin() + static_cast<ptrdiff_t>(shown), ", "));
  if (names.size() > shown) text += fmt::format(" and {} more", names.size() - shown);
  return fmt::format("it was linked by faultline-cc, but {} had none: build {} too", text,
                     names.size() == 1 ? "that" : "these");
}

} // namespace

Result<std::vector<EmbeddedRecord>> splitRecords(std::string_view section) {
  std::vector<EmbeddedRecord> records;
  while (true) {
    size_t start = section.find_first_not_of('\0');
    if (start == std::string_view::npos) return records;
    section.remove_prefix(start);
    FL_TRY(record, recordAt(section));
    section.remove_prefix(std::min(section.size(), sizeInFile(record)));
    records.push_back(std::move(record));
  }
}

Result<std::string> unpack(const EmbeddedRecord& record) {
  if (record.rawSize > kLargestPayload) return damaged("a payload claims to be over 1 GiB");
  if (record.rawSize / kMostPacking > record.compressed.size())
    return damaged("a payload claims to be larger than it can be");
  unsigned long long framed = ZSTD_getFrameContentSize(record.compressed.data(), record.compressed.size());
  if (framed != record.rawSize) return damaged("a payload has not the size in its header");
  std::string raw(record.rawSize, '\0');
  size_t got = ZSTD_decompress(raw.data(), raw.size(), record.compressed.data(), record.compressed.size());
  if (ZSTD_isError(got) || got != record.rawSize) return damaged("a payload does not decompress");
  if (XXH3_64bits(raw.data(), raw.size()) != record.hash) return damaged("a payload has not its hash");
  return raw;
}

Result<std::vector<EmbeddedRecord>> irRecords(std::string_view elfBytes) {
  FL_TRY(elf, readElf(elfBytes));
  return recordsOf(elf, FL_IR_SECTION);
}

Result<EmbeddedProgram> EmbeddedProgram::open(const std::string& path) {
  FL_TRY(file, MappedFile::open(path));
  EmbeddedProgram program(path, std::move(file));
  auto elf = readElf(program.file_.bytes());
  if (!elf) return errorf("{}: {}", path, elf.error().message);
  auto units = recordsOf(*elf, FL_IR_SECTION);
  if (!units) return errorf("{}: {}", path, units.error().message);
  auto links = recordsOf(*elf, FL_LINK_SECTION);
  if (!links) return errorf("{}: {}", path, links.error().message);
  if (units->empty())
    return errorf("{}: this program carries no Faultline IR: {} with CC=faultline-cc CXX=faultline-c++", path,
                  whoseIrIsMissing(*links));
  program.units_ = std::move(*units);
  program.links_ = std::move(*links);
  return program;
}

} // namespace faultline::program
