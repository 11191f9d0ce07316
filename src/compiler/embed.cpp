#include "compiler/embed.h"

#include "compiler/elf_section.h"

#include <charconv>
#include <cstring>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::compiler {

namespace {

// Bitcode at level 3 packs to about a third; higher levels cost more build time than they save disk.
constexpr int kLevel = 3;
constexpr size_t kRecordAlignment = 16;
constexpr size_t kQuadsPerLine = 8;
// Where the header's hash stands when the record is written as 8-byte words.
constexpr size_t kHashWord = offsetof(fl_embedded_header, hash) / 8;

constexpr std::string_view kOpening = ".pushsection " FL_IR_SECTION ",\"\",@progbits\n";

} // namespace

uint64_t recordHash(std::string_view payload) { return XXH3_64bits(payload.data(), payload.size()); }

Result<std::string> makeRecord(fl_embedded_kind kind, std::string_view name, std::string_view payload) {
  std::string packed(ZSTD_compressBound(payload.size()), '\0');
  size_t size = ZSTD_compress(packed.data(), packed.size(), payload.data(), payload.size(), kLevel);
  if (ZSTD_isError(size)) return errorf("cannot compress the IR of {}: {}", name, ZSTD_getErrorName(size));
  fl_embedded_header header{};
  std::memcpy(header.magic, FL_EMBEDDED_MAGIC, sizeof header.magic);
  header.kind = kind;
  header.name_size = static_cast<uint32_t>(name.size());
  header.payload_size = size;
  header.raw_size = payload.size();
  header.hash = recordHash(payload);
  std::string record(reinterpret_cast<const char*>(&header), sizeof header);
  record.append(name).append(packed, 0, size);
  record.resize((record.size() + kRecordAlignment - 1) / kRecordAlignment * kRecordAlignment);
  return record;
}

std::string recordAssembly(std::string_view record) {
  std::string text(kOpening);
  text.reserve(record.size() * 5 / 2);
  text += ".balign 16\n";
  for (size_t i = 0; i * 8 < record.size(); ++i) {
    uint64_t word;
    std::memcpy(&word, record.data() + i * 8, 8);
    bool first = i % kQuadsPerLine == 0;
    fmt::format_to(std::back_inserter(text), "{}{:#x}", first ? (i ? "\n.quad " : ".quad ") : ",", word);
  }
  text += "\n.popsection\n";
  return text;
}

std::optional<uint64_t> hashInAssembly(std::string_view assembly) {
  size_t at = assembly.find(kOpening);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view words = assembly.substr(at + kOpening.size());
  for (size_t i = 0; i <= kHashWord; ++i) {
    size_t number = words.find("0x");
    if (number == std::string_view::npos) return std::nullopt;
    words.remove_prefix(number + 2);
  }
  uint64_t hash = 0;
  auto [end, failure] = std::from_chars(words.data(), words.data() + words.size(), hash, 16);
  return failure == std::errc() ? std::optional(hash) : std::nullopt;
}

Result<void> embedInObject(const std::string& object, std::string_view record) {
  return appendToSection(object, FL_IR_SECTION, record);
}

std::string hashText(uint64_t hash) { return fmt::format("{:016x}", hash); }

std::optional<uint64_t> parseHash(std::string_view text) {
  uint64_t hash = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), hash, 16);
  if (failure != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return hash;
}

} // namespace faultline::compiler
