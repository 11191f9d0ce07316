#include "replay/value_text.h"

#include "golden/values/values.h"
#include "replay/library_containers.h"
#include "replay/scalar_text.h"
#include "unit/replay/stopped_state.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/uio.h>
#include <unistd.h>

namespace faultline::replay {
namespace {

using namespace testing;
using ::testing::Test;

// This test's own memory is the program's: the objects are real ones.
class OwnMemory : public MemoryView {
public:
  bool read(uint64_t address, std::span<uint8_t> out) const override {
    std::fill(out.begin(), out.end(), uint8_t(0));
    iovec to{out.data(), out.size()}, from{reinterpret_cast<void*>(address), out.size()};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == ssize_t(out.size());
  }
};

class LibraryValues : public Test {
protected:
  static TypeRef objectsType(const fir::Image& image) {
    for (const fir::Symbol& s : image.symbols)
      if (image.string(s.displayName) == "objects") return elementOf({&image, s.debugType});
    ADD_FAILURE() << "no objects";
    return {};
  }
  ValuePlace member(const std::string& name) {
    auto found = findMember(type_, name);
    EXPECT_TRUE(found) << name;
    return placeInMemory(type_, uint64_t(&objects_)).member(found->owner, found->member);
  }
  std::string text(const std::string& name) {
    ValueContext context;
    context.memory = &memory_;
    return valueText(member(name), context);
  }
  std::string type(const std::string& name) { return typeName(member(name).type); }

  int referred_ = 41;
  golden::Objects objects_{.text = "hello \"you\"",
                           .longText = std::string(200, 'x'),
                           .view = "abc",
                           .numbers = {1, 2, 3},
                           .words = {"one", "two"},
                           .owned = std::make_unique<int>(5),
                           .shared = std::make_shared<int>(6),
                           .some = 7,
                           .none = {},
                           .byNumber = {{1, "a"}, {2, "b"}},
                           .chosen = {4, 5, 6},
                           .hashed = {{1, 1}},
                           .chain = {1, 2, 3, 4},
                           .queue = std::deque<int>(300, 1),
                           .three = {1, 2, 3},
                           .counter = 9,
                           .pair = {1, true},
                           .square = {},
                           .reference = referred_,
                           .wide = 1.5L,
                           .huge = -(__int128(1) << 100),
                           .real = 0.1,
                           .flag = true,
                           .letter = '\n',
                           .codePoint = U'x'};
  OwnMemory memory_;
  fir::Image image_ = goldenImage("values");
  TypeRef type_ = objectsType(image_);
};

TEST_F(LibraryValues, StringsAreTexts) {
  EXPECT_EQ(text("text"), R"("hello \"you\"")");
  EXPECT_EQ(text("longText"), "\"" + std::string(80, 'x') + "\"...");
  EXPECT_EQ(text("view"), "\"abc\"");
}

TEST_F(LibraryValues, SequencesShowTheirElements) {
  EXPECT_EQ(text("numbers"), "size 3 {1, 2, 3}");
  EXPECT_EQ(text("words"), R"(size 2 {"one", "two"})");
  EXPECT_EQ(text("three"), "{1, 2, 3}");
}

TEST_F(LibraryValues, PointersShowWhereTheyPoint) {
  EXPECT_EQ(text("owned"), fmt::format("{:#x}", uint64_t(objects_.owned.get())));
  EXPECT_EQ(text("shared"), fmt::format("{:#x} (use count 1)", uint64_t(objects_.shared.get())));
  objects_.owned.reset();
  objects_.shared.reset();
  EXPECT_EQ(text("owned"), "nullptr");
  EXPECT_EQ(text("shared"), "nullptr");
}

TEST_F(LibraryValues, OptionalIsItsValueOrNothing) {
  EXPECT_EQ(text("some"), "7");
  EXPECT_EQ(text("none"), "nullopt");
}

TEST_F(LibraryValues, OtherContainersShowTheirElementsToo) {
  EXPECT_EQ(text("byNumber"), R"(size 2 {[1] = "a", [2] = "b"})");
  EXPECT_EQ(text("chosen"), "size 3 {4, 5, 6}");
  EXPECT_EQ(text("hashed"), "size 1 {[1] = 1}");
  EXPECT_EQ(text("chain"), "size 4 {1, 2, 3, 4}");
  EXPECT_EQ(text("queue"), "size 300 {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ...}");
  objects_.queue.clear();
  for (int k = 0; k < 5; ++k) objects_.queue.push_front(k), objects_.queue.push_back(-k);
  EXPECT_EQ(text("queue"), "size 10 {4, 3, 2, 1, 0, 0, -1, -2, -3, -4}");
  objects_.chosen.clear();
  EXPECT_EQ(text("chosen"), "size 0 {}");
  for (int k = 0; k < 100; ++k) objects_.chosen.insert(k * 7 % 100);
  EXPECT_EQ(text("chosen"), "size 100 {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...}");
  objects_.hashed = {{5, 50}, {6, 60}, {7, 70}};
  EXPECT_EQ(text("hashed").size(), std::string("size 3 {[5] = 50, [6] = 60, [7] = 70}").size());
}

// The library's own code links nodes, which replay may not have seen.
TEST_F(LibraryValues, LinksThatDoNotAddUpAreNotFollowed) {
  auto* links = reinterpret_cast<void**>(&objects_.chain); // next, previous, size
  void* first = links[0];
  links[0] = links;
  EXPECT_EQ(text("chain"), "size 4");
  links[0] = links[1];
  EXPECT_EQ(text("chain"), "size 4");
  links[0] = first;
  auto* header = reinterpret_cast<uint64_t*>(&objects_.byNumber) + 1; // colour, root, leftmost, rightmost
  uint64_t root = std::exchange(header[1], uint64_t(header));
  EXPECT_EQ(text("byNumber"), "size 2");
  header[1] = root;
  EXPECT_EQ(text("byNumber"), R"(size 2 {[1] = "a", [2] = "b"})");
}

TEST(TemplateArgument, IsFoundBetweenBrackets) {
  EXPECT_EQ(templateArgument("map<int, std::pair<A, B<C> >, std::less<int> >", 0), "int");
  EXPECT_EQ(templateArgument("map<int, std::pair<A, B<C> >, std::less<int> >", 1), "std::pair<A, B<C> >");
  EXPECT_EQ(templateArgument("map<int, std::pair<A, B<C> >, std::less<int> >", 2), "std::less<int>");
  EXPECT_EQ(templateArgument("map<int>", 1), "");
  EXPECT_EQ(templateArgument("function<int (char, long)>", 0), "int (char, long)");
  EXPECT_EQ(templateArgument("plain", 0), "");
  EXPECT_EQ(templateArgument("cut<int", 0), "");
}

TEST_F(LibraryValues, RecordsShowBasesAndMembers) {
  EXPECT_EQ(text("pair"), "{first = 1, second = true}");
  EXPECT_EQ(text("square"), R"({<Shape> = {sides = 3}, fill = Solid, label = "sq", other = nullptr})");
  EXPECT_EQ(text("counter"), "9");
}

TEST_F(LibraryValues, ScalarsReadAsInTheSource) {
  EXPECT_EQ(text("reference"), "41");
  EXPECT_EQ(text("wide"), "1.5");
  EXPECT_EQ(text("huge"), "-1267650600228229401496703205376");
  EXPECT_EQ(text("real"), "0.1");
  EXPECT_EQ(text("flag"), "true");
  EXPECT_EQ(text("letter"), "'\\n' (10)");
  EXPECT_EQ(text("codePoint"), "'x' (120)");
}

TEST_F(LibraryValues, TypesLoseWhatTheLibraryAdds) {
  EXPECT_EQ(type("text"), "std::string");
  EXPECT_EQ(type("numbers"), "std::vector<int>");
  EXPECT_EQ(type("byNumber"), "std::map<int, std::string>");
  EXPECT_EQ(type("owned"), "std::unique_ptr<int>");
  EXPECT_EQ(type("reference"), "int &");
  EXPECT_EQ(type("square"), "Square");
}

TEST_F(LibraryValues, DamageIsBounded) {
  // A vector whose end is far away, and a string whose length is nonsense.
  auto* vector = reinterpret_cast<uint64_t*>(&objects_.numbers);
  uint64_t end = std::exchange(vector[1], vector[0] + (uint64_t(1) << 40));
  EXPECT_LT(text("numbers").size(), 800u);
  vector[1] = vector[0] - 4;
  EXPECT_THAT(text("numbers"), ::testing::StartsWith("{<"));
  vector[1] = end;
  auto* string = reinterpret_cast<uint64_t*>(&objects_.text);
  uint64_t size = std::exchange(string[1], ~uint64_t(0));
  EXPECT_THAT(text("text"), ::testing::StartsWith("{"));
  string[1] = size;
}

class PlainValues : public Test {
protected:
  TypeRef global(const std::string& name) {
    for (const fir::Symbol& s : image_.symbols)
      if (image_.string(s.displayName) == name) return {&image_, s.debugType};
    return {};
  }
  std::string text(TypeRef type, uint64_t address) {
    return valueText(placeInMemory(type, address), context_);
  }
  void putNode(uint64_t at, int value, uint64_t next, const std::string& name) {
    memory_.fill(at, 32);
    memory_.put(at, value);
    memory_.put(at + 8, next);
    memory_.putText(at + 16, name);
    memory_.put(at + 24, uint8_t(5 | 9 << 3));
  }
  fir::Image image_ = goldenImage("list");
  MadeMemory memory_;
  MadeSymbols symbols_{image_};
  ValueContext context_{.memory = &memory_, .symbols = &symbols_};
};

TEST_F(PlainValues, StructsShowMembersAndBitFields) {
  putNode(0x5000, -3, 0x5020, "ab");
  EXPECT_EQ(text(elementOf(global("table")), 0x5000),
            R"({value = -3, next = 0x5020, name = "ab", small = 5, large = 9})");
}

TEST_F(PlainValues, EqualNeighboursAreFolded) {
  for (int k = 0; k < 4; ++k) putNode(0x5000 + uint64_t(k) * 32, k == 0, 0, "");
  EXPECT_EQ(text(global("table"), 0x5000).find("repeats"), std::string::npos);
  fir::ImageBuilder b;
  b.debugTypes.push_back(
      {fir::DebugKind::SignedInt, {}, b.addString("int"), 4, fir::kNone, 0, 0, fir::kNone});
  b.debugTypes.push_back({fir::DebugKind::Array, {}, 0, 400, 0, 0, 0, 100});
  auto image = fir::imageFromBytes(b.finish(1));
  ASSERT_TRUE(image);
  memory_.fill(0x6000, 400);
  memory_.put(0x6000, 1);
  memory_.put(0x6004, 2);
  EXPECT_EQ(text({&*image, 1}, 0x6000), "{1, 2, 0 <repeats 98 times>}");
  EXPECT_EQ(typeName(TypeRef{&*image, 1}), "int [100]");
  for (int k = 0; k < 100; ++k) memory_.put(0x6000 + uint64_t(k) * 4, k);
  EXPECT_EQ(text({&*image, 1}, 0x6000), "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, ...}");
}

TEST_F(PlainValues, WhatWasNeverSeenIsSaidSo) {
  EXPECT_EQ(text(global("limit"), 0x5000), "<not seen>");
  memory_.put(0x5000, 3);
  EXPECT_EQ(text(elementOf(global("table")), 0x5000),
            "{value = 3, next = ?, name = <not seen>, small = ?, large = ?}");
}

TEST_F(PlainValues, PointersAreNamed) {
  uint64_t sum = symbols_.address("sum");
  memory_.put(0x5000, sum);
  EXPECT_EQ(text(global("handler"), 0x5000), fmt::format("{:#x} <sum>", sum));
  memory_.put(0x5000, uint64_t(0));
  EXPECT_EQ(text(global("handler"), 0x5000), "NULL");
  TypeRef next = elementOf(global("table")).at(elementOf(global("table")).members()[1].type);
  context_.pointerTypes = true;
  memory_.put(0x5000, uint64_t(0x1234));
  EXPECT_EQ(text(next, 0x5000), "(struct node *) 0x1234");
}

TEST_F(PlainValues, EnumeratorsCombine) {
  auto find = [&](std::string_view name) {
    for (uint32_t k = 0; k < image_.debugTypes.size(); ++k)
      if (image_.string(image_.debugTypes[k].name) == name) return TypeRef{&image_, k};
    return TypeRef{};
  };
  EXPECT_EQ(enumText(find("color"), 4), "GREEN");
  EXPECT_EQ(enumText(find("color"), 3), "3");
  EXPECT_EQ(enumText(find("mode"), 5), "MODE_READ | MODE_RUN");
  EXPECT_EQ(enumText(find("mode"), 9), "MODE_READ | 0x8");
}

TEST(ScalarText, TextsAreEscaped) {
  auto quoted = [](std::string_view s) {
    return quotedText({reinterpret_cast<const uint8_t*>(s.data()), s.size()});
  };
  EXPECT_EQ(quoted("a\tb\x01\xff"), R"("a\tb\001\377")");
  EXPECT_EQ(quoted("gr\xc3\xbc\xc3\x9f"), "\"gr\xc3\xbc\xc3\x9f\"");
  EXPECT_EQ(quoted("\xc2\x9b"), R"("\302\233")"); // a terminal would take it for the start of a command
  EXPECT_EQ(characterText(uint64_t(-56), true), "-56");
  EXPECT_EQ(characterText('a', true), "'a' (97)");
}

} // namespace
} // namespace faultline::replay
