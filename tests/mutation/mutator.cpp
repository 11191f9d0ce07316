#include "mutation/mutator.h"

#include "program/elf_file.h"
#include "recording/log_decode.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::test {

using recording::ChunkHeader;
using recording::ChunkKind;
using recording::FileHeader;

uint64_t oddNumber(Random& random) {
  switch (random() % 7) {
  case 0:
    return random() % 4;
  case 1:
    return uint64_t(1) << (random() % 64);
  case 2:
    return (uint64_t(1) << (random() % 64)) - 1;
  case 3:
    return ~uint64_t(0) - random() % 9;
  case 4:
    return random() % 300;
  case 5:
    return 0x7ffffffff000 + random() % 0x2000; // where user space ends
  default:
    return random();
  }
}

std::string damageBytes(Bytes& bytes, Random& random) {
  if (bytes.empty()) return bytes.push_back(uint8_t(random())), "a byte from nowhere";
  size_t at = below(random, bytes.size()),
         length = 1 + below(random, std::min<size_t>(bytes.size() - at, 64));
  auto begin = bytes.begin() + ptrdiff_t(at), end = begin + ptrdiff_t(length);
  switch (random() % 8) {
  case 0:
    bytes[at] ^= uint8_t(1 << random() % 8);
    return fmt::format("bit flipped at {}", at);
  case 1:
    bytes[at] = uint8_t(random());
    return fmt::format("byte changed at {}", at);
  case 2:
    bytes[at] = uint8_t(bytes[at] + random() % 5 - 2);
    return fmt::format("byte moved a little at {}", at);
  case 3: {
    uint64_t number = oddNumber(random);
    std::memcpy(&bytes[at], &number, std::min<size_t>(8, bytes.size() - at));
    return fmt::format("number {:#x} at {}", number, at);
  }
  case 4:
    bytes.resize(at);
    return fmt::format("cut at {}", at);
  case 5:
    bytes.erase(begin, end);
    return fmt::format("{} bytes gone at {}", length, at);
  case 6: {
    Bytes piece(begin, end);
    bytes.insert(bytes.begin() + ptrdiff_t(below(random, bytes.size())), piece.begin(), piece.end());
    return fmt::format("{} bytes of {} repeated", length, at);
  }
  default:
    std::fill(begin, end, uint8_t(0));
    return fmt::format("{} bytes zeroed at {}", length, at);
  }
}

std::vector<Chunk> chunksOf(const Bytes& file) {
  std::vector<Chunk> chunks;
  size_t at = sizeof(FileHeader);
  while (file.size() >= at && file.size() - at >= sizeof(ChunkHeader)) {
    ChunkHeader header;
    std::memcpy(&header, &file[at], sizeof header);
    at += sizeof header;
    if (header.storedSize > file.size() - at) break;
    chunks.push_back({header.kind, header.rawSize, Bytes(&file[at], &file[at] + header.storedSize)});
    at += header.storedSize;
  }
  return chunks;
}

Bytes recordingOf(const std::vector<Chunk>& chunks) {
  FileHeader file{};
  std::memcpy(file.magic, recording::kMagic, sizeof file.magic);
  file.version = recording::kVersion;
  Bytes out(sizeof file);
  std::memcpy(out.data(), &file, sizeof file);
  uint64_t sequence = 0;
  for (const Chunk& chunk : chunks) {
    ChunkHeader header{recording::kChunkMagic, chunk.kind, sequence++, chunk.rawSize, chunk.stored.size(), 0};
    uint64_t seed = XXH3_64bits(&header, offsetof(ChunkHeader, hash));
    header.hash = XXH3_64bits_withSeed(chunk.stored.data(), chunk.stored.size(), seed);
    auto* first = reinterpret_cast<const uint8_t*>(&header);
    out.insert(out.end(), first, first + sizeof header);
    out.insert(out.end(), chunk.stored.begin(), chunk.stored.end());
  }
  return out;
}

Bytes unpackLog(const Chunk& chunk) {
  constexpr size_t kPrefix = sizeof(recording::LogPrefix);
  if (chunk.stored.size() < kPrefix || chunk.rawSize > recording::kMaxRawSize) return {};
  Bytes raw(chunk.rawSize);
  size_t got = ZSTD_decompress(raw.data(), raw.size(), &chunk.stored[kPrefix], chunk.stored.size() - kPrefix);
  if (ZSTD_isError(got)) return {};
  raw.resize(got);
  return raw;
}

Chunk packLog(uint64_t firstEpoch, const Bytes& raw) {
  Chunk chunk{ChunkKind::Log, raw.size(), Bytes(8 + ZSTD_compressBound(raw.size()))};
  std::memcpy(chunk.stored.data(), &firstEpoch, 8);
  chunk.stored.resize(8 +
                      ZSTD_compress(&chunk.stored[8], chunk.stored.size() - 8, raw.data(), raw.size(), 1));
  return chunk;
}

std::vector<RawRecord> recordsOf(const Bytes& log) {
  std::vector<RawRecord> records;
  const uint8_t *at = log.data(), *end = at + log.size();
  uint64_t epoch = 0;
  recording::Record record;
  for (;;) {
    const uint8_t* begin = at;
    if (recording::decodeRecord(at, end, epoch, record) != recording::Decoded::Record) return records;
    RawRecord raw{*begin++, record.hasEpoch(), record.epoch, {}};
    if (raw.hasEpoch)
      while (*begin++ & 0x80) {
      }
    raw.rest.assign(begin, at);
    records.push_back(std::move(raw));
  }
}

namespace {

void appendUleb(Bytes& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(uint8_t(value | 0x80));
  out.push_back(uint8_t(value));
}

bool hasEpoch(uint8_t tag) {
  recording::Record record;
  record.tag = recording::Tag(tag);
  return record.hasEpoch();
}

} // namespace

Bytes logOf(const std::vector<RawRecord>& records) {
  Bytes out;
  uint64_t epoch = 0;
  for (const RawRecord& r : records) {
    out.push_back(r.tag);
    if (r.hasEpoch) {
      appendUleb(out, std::max(r.epoch, epoch) - epoch);
      epoch = std::max(r.epoch, epoch);
    }
    out.insert(out.end(), r.rest.begin(), r.rest.end());
  }
  return out;
}

namespace {

// One record becomes another one, or another place.
std::string damageRecords(std::vector<RawRecord>& records, Random& random) {
  if (records.empty()) return "no records";
  size_t at = below(random, records.size()), other = below(random, records.size());
  RawRecord& r = records[at];
  const char* name = recording::tagName(recording::Tag(r.tag));
  switch (random() % 11) {
  case 0:
    records.erase(records.begin() + ptrdiff_t(at));
    return fmt::format("record {} ({}) gone", at, name);
  case 1: {
    RawRecord copy = r;
    records.insert(records.begin() + ptrdiff_t(other), copy);
    return fmt::format("record {} ({}) repeated at {}", at, name, other);
  }
  case 2:
    std::swap(records[at], records[other]);
    return fmt::format("records {} ({}) and {} exchanged", at, name, other);
  case 3: // another record, as if it had happened here
    records.insert(records.begin() + ptrdiff_t(at), records[other]);
    records[at].epoch = records[at + 1].epoch;
    return fmt::format("record {} happens at {} ({}) too", other, at, name);
  case 4:
    r.epoch = random() % 3 ? r.epoch + random() % 5 - 2 : oddNumber(random);
    return fmt::format("record {} ({}) has epoch {}", at, name, r.epoch);
  case 5:
    for (size_t k = at; k < records.size(); ++k) records[k].epoch += 1 + other % 3;
    return fmt::format("epochs moved from record {} ({}) on", at, name);
  case 6: {
    constexpr uint8_t kTags[] = {1,    2,    3,    4,    5,    8,    0x10, 0x11, 0x12,
                                 0x13, 0x14, 0x18, 0x20, 0x21, 0x22, 0x28, 0x29, 0x2a,
                                 0x30, 0x31, 0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d};
    r.tag = kTags[random() % std::size(kTags)];
    r.hasEpoch = hasEpoch(r.tag);
    return fmt::format("record {} ({}) becomes {}", at, name, recording::tagName(recording::Tag(r.tag)));
  }
  case 7: { // ids, addresses, lengths: the first bytes
    if (r.rest.empty()) return "nothing";
    size_t place = below(random, std::min<size_t>(r.rest.size(), 12));
    r.rest[place] = uint8_t(random() % 2 ? r.rest[place] + random() % 5 - 2 : random());
    return fmt::format("record {} ({}) changed at {}", at, name, place);
  }
  case 8: { // a word: a symbol's address, an argument, a value
    if (r.rest.size() < 8) return "nothing";
    uint64_t number = oddNumber(random);
    size_t place = below(random, r.rest.size() - 7);
    std::memcpy(&r.rest[place], &number, 8);
    return fmt::format("record {} ({}) has {:#x} at {}", at, name, number, place);
  }
  case 9: { // a number in front, as an id or a length may be
    Bytes number;
    appendUleb(number, oddNumber(random) >> random() % 40);
    r.rest.insert(r.rest.begin(), number.begin(), number.end());
    return fmt::format("record {} ({}) has another number in front", at, name);
  }
  default:
    return fmt::format("record {} ({}): {}", at, name, damageBytes(r.rest, random));
  }
}

std::string damageLog(std::vector<Chunk>& chunks, Random& random) {
  std::vector<Chunk*> logs;
  for (Chunk& c : chunks)
    if (c.kind == ChunkKind::Log) logs.push_back(&c);
  if (logs.empty()) return "no log";
  Chunk& chunk = *logs[below(random, logs.size())];
  uint64_t firstEpoch = 0;
  std::memcpy(&firstEpoch, chunk.stored.data(), std::min<size_t>(8, chunk.stored.size()));
  if (random() % 16 == 0) firstEpoch = oddNumber(random);
  Bytes raw = unpackLog(chunk);
  std::string how = "log";
  if (random() % 5 == 0) {
    for (uint64_t k = 0, n = 1 + random() % 4; k < n; ++k) how += "; " + damageBytes(raw, random);
  } else {
    std::vector<RawRecord> records = recordsOf(raw);
    for (uint64_t k = 0, n = 1 + random() % 3; k < n; ++k) how += "; " + damageRecords(records, random);
    raw = logOf(records);
  }
  if (random() % 16 == 0 && raw.size() > 2) { // two chunks out of one
    size_t at = below(random, raw.size());
    Chunk second = packLog(firstEpoch, Bytes(raw.begin() + ptrdiff_t(at), raw.end()));
    raw.resize(at);
    chunk = packLog(firstEpoch, raw);
    chunks.insert(chunks.begin() + ptrdiff_t(below(random, chunks.size())), std::move(second));
    return how + "; split";
  }
  chunk = packLog(firstEpoch, raw);
  return how;
}

std::string damageJson(Chunk& chunk, Random& random) {
  std::vector<size_t> digits;
  for (size_t k = 0; k < chunk.stored.size(); ++k)
    if (chunk.stored[k] >= '0' && chunk.stored[k] <= '9') digits.push_back(k);
  std::string how;
  if (digits.empty() || random() % 2) {
    how = damageBytes(chunk.stored, random);
  } else {
    size_t at = digits[below(random, digits.size())];
    const char* kNumbers[] = {"18446744073709551615", "-1",   "1e300", "0",
                              "99999999999",          "null", "[]",    "\"x\""};
    std::string number = kNumbers[random() % std::size(kNumbers)];
    chunk.stored.erase(chunk.stored.begin() + ptrdiff_t(at));
    chunk.stored.insert(chunk.stored.begin() + ptrdiff_t(at), number.begin(), number.end());
    how = "number " + number;
  }
  chunk.rawSize = chunk.stored.size();
  return how;
}

std::string damageChunks(std::vector<Chunk>& chunks, Random& random) {
  if (chunks.empty()) return "no chunks";
  size_t at = below(random, chunks.size()), other = below(random, chunks.size());
  Chunk& chunk = chunks[at];
  switch (random() % 7) {
  case 0:
    std::swap(chunks[at], chunks[other]);
    return fmt::format("chunks {} and {} exchanged", at, other);
  case 1: {
    Chunk copy = chunk;
    chunks.insert(chunks.begin() + ptrdiff_t(other), copy);
    return fmt::format("chunk {} repeated at {}", at, other);
  }
  case 2:
    chunks.erase(chunks.begin() + ptrdiff_t(at));
    return fmt::format("chunk {} gone", at);
  case 3:
    chunk.kind = ChunkKind(random() % 10);
    return fmt::format("chunk {} of another kind", at);
  case 4:
    chunk.rawSize = oddNumber(random);
    return fmt::format("chunk {} of size {}", at, chunk.rawSize);
  case 5:
    if (chunk.kind == ChunkKind::Meta || chunk.kind == ChunkKind::End)
      return fmt::format("chunk {} (text): {}", at, damageJson(chunk, random));
    [[fallthrough]];
  default:
    return fmt::format("chunk {}: {}", at, damageBytes(chunk.stored, random));
  }
}

} // namespace

Mutant mutateRecording(const Bytes& good, uint64_t seed) {
  Random random(seed);
  uint64_t kind = random() % 10;
  if (kind < 2) {
    Mutant mutant{good, "file"};
    for (uint64_t k = 0, n = 1 + random() % 3; k < n; ++k)
      mutant.how += "; " + damageBytes(mutant.bytes, random);
    return mutant;
  }
  std::vector<Chunk> chunks = chunksOf(good);
  std::string how = kind < 4 ? damageChunks(chunks, random) : damageLog(chunks, random);
  // A recording whose recorder was stopped has no end, and replay must find one.
  if (random() % 8 == 0 && !chunks.empty() && chunks.back().kind == ChunkKind::End)
    chunks.pop_back(), how += "; no end";
  return {recordingOf(chunks), how};
}

Mutant mutateImage(const Bytes& good, uint64_t seed) {
  Random random(seed);
  Mutant mutant{good, "image"};
  // magic, hash, then offset, count and size of each array.
  constexpr size_t kArrays = 16, kHeader = 24;
  for (uint64_t k = 0, n = 1 + random() % 3; k < n; ++k) {
    if (random() % 10 == 0) {
      mutant.how += "; " + damageBytes(mutant.bytes, random);
      continue;
    }
    size_t header = kArrays + kHeader * below(random, 18);
    if (mutant.bytes.size() < header + kHeader) continue;
    uint64_t place[3];
    std::memcpy(place, &mutant.bytes[header], sizeof place);
    if (random() % 12 == 0) {
      uint64_t number = oddNumber(random);
      std::memcpy(&mutant.bytes[header + 8 * (random() % 3)], &number, 8);
      mutant.how += fmt::format("; array header {}", header);
      continue;
    }
    uint64_t size = place[1] * place[2];
    if (size == 0 || place[0] > mutant.bytes.size() || size > mutant.bytes.size() - place[0]) continue;
    size_t at = place[0] + below(random, size);
    // Most numbers in FIR are small; near ones do more harm than wild ones.
    mutant.bytes[at] = uint8_t(random() % 3 ? mutant.bytes[at] + random() % 5 - 2 : random());
    mutant.how += fmt::format("; array {} element {} byte {}", (header - kArrays) / kHeader,
                              (at - place[0]) / place[2], (at - place[0]) % place[2]);
  }
  return mutant;
}

Mutant mutateProgram(const Bytes& good, uint64_t seed) {
  Random random(seed);
  Mutant mutant{good, "program"};
  auto elf = program::readElf({reinterpret_cast<const char*>(good.data()), good.size()});
  std::vector<std::pair<size_t, size_t>> parts = {{0, 64}};
  uint64_t table = 0;
  std::memcpy(&table, &good[40], 8);
  if (table < good.size()) parts.push_back({table, good.size() - table});
  if (elf)
    for (const program::ElfSection& s : elf->sections)
      if (s.name.starts_with(".faultline") && !s.contents.empty()) {
        auto at = size_t(s.contents.data() - reinterpret_cast<const char*>(good.data()));
        parts.push_back({at, s.contents.size()});
        parts.push_back({at, std::min<size_t>(s.contents.size(), 80)});
      }
  for (uint64_t k = 0, n = 1 + random() % 3; k < n; ++k) {
    auto [at, size] = parts[below(random, parts.size())];
    size_t from = at + below(random, size);
    if (from >= mutant.bytes.size()) continue;
    if (random() % 12 == 0) {
      mutant.bytes.resize(from);
      mutant.how += fmt::format("; cut at {}", from);
    } else if (random() % 2) {
      uint64_t number = oddNumber(random);
      std::memcpy(&mutant.bytes[from], &number, std::min<size_t>(8, mutant.bytes.size() - from));
      mutant.how += fmt::format("; number {:#x} at {}", number, from);
    } else {
      mutant.bytes[from] ^= uint8_t(1 << random() % 8);
      mutant.how += fmt::format("; bit flipped at {}", from);
    }
  }
  return mutant;
}

} // namespace faultline::test
