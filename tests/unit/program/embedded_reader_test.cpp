// The reader takes files from anywhere: what a linker made of several records, and what damage makes of them.
#include "program/embedded_reader.h"

#include "support/run.h"

#include <cstring>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>
#include <zstd.h>

namespace faultline::program {
namespace {

using ::testing::HasSubstr;

std::string record(uint32_t kind, std::string_view name, std::string_view payload) {
  std::string packed(ZSTD_compressBound(payload.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), payload.data(), payload.size(), 1));
  fl_embedded_header header{};
  std::memcpy(header.magic, FL_EMBEDDED_MAGIC, 8);
  header.kind = kind;
  header.name_size = name.size();
  header.payload_size = packed.size();
  header.raw_size = payload.size();
  header.hash = XXH3_64bits(payload.data(), payload.size());
  std::string bytes(reinterpret_cast<char*>(&header), sizeof header);
  bytes.append(name).append(packed);
  bytes.resize((bytes.size() + 15) / 16 * 16);
  return bytes;
}

// An ELF64 file with the named sections and nothing else.
std::string elfWith(const std::vector<std::pair<std::string, std::string>>& sections) {
  std::string names(1, '\0');
  std::string body(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> table(1);
  auto add = [&](const std::string& name, const std::string& data, uint32_t type) {
    Elf64_Shdr header{};
    header.sh_name = names.size();
    names += name + '\0';
    header.sh_type = type;
    header.sh_offset = body.size();
    const std::string& content = type == SHT_STRTAB ? names : data;
    header.sh_size = content.size();
    body += content;
    table.push_back(header);
  };
  for (auto& [name, data] : sections) add(name, data, SHT_PROGBITS);
  add(".shstrtab", "", SHT_STRTAB);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;
  header.e_shoff = body.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = table.size();
  header.e_shstrndx = table.size() - 1;
  body.append(reinterpret_cast<char*>(table.data()), table.size() * sizeof(Elf64_Shdr));
  std::memcpy(body.data(), &header, sizeof header);
  return body;
}

TEST(EmbeddedReader, FindsRecordsInLinkOrderThroughTheLinkersPadding) {
  std::string section = record(FL_EMBEDDED_BITCODE, "a.c", "first") + std::string(48, '\0') +
                        record(FL_EMBEDDED_OBJECT, "b.s", "second") + std::string(16, '\0');
  auto records = splitRecords(section);
  ASSERT_TRUE(records) << records.error().message;
  ASSERT_EQ(records->size(), 2u);
  EXPECT_EQ((*records)[0].name, "a.c");
  EXPECT_EQ((*records)[1].kind, unsigned{FL_EMBEDDED_OBJECT});
  EXPECT_EQ(*unpack((*records)[0]), "first");
  EXPECT_EQ(*unpack((*records)[1]), "second");
}

TEST(EmbeddedReader, OpensAProgramWithItsUnitsAndLinks) {
  test::TempDir dir;
  test::writeFile(dir / "p", elfWith({{FL_IR_SECTION, record(FL_EMBEDDED_BITCODE, "a.c", "ir")},
                                      {FL_LINK_SECTION, record(FL_EMBEDDED_LINK, "p", "{}")}}));
  auto program = EmbeddedProgram::open(dir / "p");
  ASSERT_TRUE(program) << program.error().message;
  EXPECT_EQ(*unpack(program->units().at(0)), "ir");
  EXPECT_EQ(*unpack(program->links().at(0)), "{}");
}

TEST(EmbeddedReader, SaysHowToBuildAProgramThatHasNoIr) {
  test::TempDir dir;
  test::writeFile(dir / "p", elfWith({{".comment", "clang"}}));
  EXPECT_THAT(EmbeddedProgram::open(dir / "p").error().message, HasSubstr("CC=faultline-cc"));
}

TEST(EmbeddedReader, NamesWhatWasLinkedWithoutIr) {
  test::TempDir dir;
  auto said = [&](const std::string& link) {
    test::writeFile(dir / "p", elfWith({{FL_LINK_SECTION, record(FL_EMBEDDED_LINK, "p", link)}}));
    return EmbeddedProgram::open(dir / "p").error().message;
  };
  auto input = [](const std::string& path, const std::string& kind) {
    return R"({"path":")" + path + R"(","kind":")" + kind + R"(","records":[]})";
  };
  EXPECT_THAT(said(R"({"cwd":"/w","inputs":[)" + input("/w/a.o", "object") + "," +
                   input("/x/l.a", "archive") + "," + input("/x/s.so", "shared") + "]}"),
              HasSubstr("but a.o, /x/l.a had none: build these too with CC=faultline-cc"));
  std::string many = input("/w/a.o", "object");
  for (int i = 0; i < 6; ++i) many += "," + input("/w/b.o", "object");
  EXPECT_THAT(said(R"({"cwd":"/w","inputs":[)" + many + "]}"), HasSubstr("b.o and 2 more had none"));
  for (const char* odd :
       {"{}", "[]", "x", R"({"cwd":1,"inputs":[]})", R"({"cwd":"/w","inputs":[{"kind":[]}]})"})
    EXPECT_THAT(said(odd), HasSubstr("IR: build it with CC=faultline-cc")) << odd;
}

TEST(EmbeddedReader, RefusesWhatIsNoProgram) {
  test::TempDir dir;
  test::writeFile(dir / "script", "#!/bin/sh\n");
  test::writeFile(dir / "empty", "");
  EXPECT_THAT(EmbeddedProgram::open(dir / "script").error().message, HasSubstr("not an ELF file"));
  EXPECT_THAT(EmbeddedProgram::open(dir / "empty").error().message, HasSubstr("not an ELF file"));
  EXPECT_THAT(EmbeddedProgram::open(dir / "absent").error().message, HasSubstr("absent"));
  EXPECT_THAT(EmbeddedProgram::open(dir.path()).error().message, HasSubstr("not a regular file"));
}

TEST(EmbeddedReader, TellsAnotherVersionFromDamage) {
  std::string other = record(FL_EMBEDDED_BITCODE, "a.c", "ir");
  other[7] = 2;
  EXPECT_THAT(splitRecords(other).error().message, HasSubstr("another version"));
  EXPECT_THAT(splitRecords("garbage that is long enough to hold a header, by far").error().message,
              HasSubstr("damaged"));
}

TEST(EmbeddedReader, DoesNotHandOutAPayloadThatChanged) {
  std::string bytes = record(FL_EMBEDDED_BITCODE, "a.c", std::string(1000, 'x'));
  auto wrongHash = splitRecords(bytes);
  (*wrongHash)[0].hash ^= 1;
  EXPECT_THAT(unpack((*wrongHash)[0]).error().message, HasSubstr("hash"));
  (*wrongHash)[0].rawSize = uint64_t{1} << 40;
  EXPECT_THAT(unpack((*wrongHash)[0]).error().message, HasSubstr("1 GiB"));
}

// Every cut and every changed byte gives an answer or an error; ASan in the asan preset watches the reads.
TEST(EmbeddedReader, SurvivesEveryCutAndEveryChangedByte) {
  const std::string good = elfWith({{FL_IR_SECTION, record(FL_EMBEDDED_BITCODE, "a.c", "some ir")}});
  auto look = [](const std::string& bytes) {
    auto records = irRecords(bytes);
    if (!records) return;
    for (const EmbeddedRecord& one : *records) (void)unpack(one);
  };
  for (size_t size = 0; size < good.size(); ++size) look(good.substr(0, size));
  for (size_t at = 0; at < good.size(); ++at)
    for (unsigned char value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string bad = good;
      bad[at] = static_cast<char>(value);
      look(bad);
    }
}

} // namespace
} // namespace faultline::program
