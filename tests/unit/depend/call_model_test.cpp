// Models on memory made by hand: what each call is said to have made of what.
#include "depend/call_model_eval.h"
#include "depend/models.h"

#include "unit/depend/effect_text.h"
#include "unit/replay/stopped_state.h"

#include <gmock/gmock.h>

namespace faultline::depend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::texts;

class CallModelTest : public ::testing::Test {
protected:
  using Words = std::vector<uint64_t>;

  struct End {
    std::optional<uint64_t> result = 0;
    uint32_t resultSize = 8;
    std::vector<AddressRange> written = {};
    std::function<void()> effect = [] {}; // what the call does to memory
  };

  OutsideEffect call(std::string_view name, Words words, End end) {
    OutsideEffect out;
    const CallModel* model = models_.find(name);
    CallState state;
    state.words = [&](size_t n) { return n < words.size() ? &words[n] : nullptr; };
    state.argumentCount = uint32_t(words.size());
    state.memory = &memory_;
    state.list = [&](uint64_t) { return list_; };
    state.blockSize = [](uint64_t block) {
      return block == 0x5000 ? std::optional<uint64_t>(16) : std::nullopt;
    };
    state.global = [](const std::string& name) { return name == "optarg" ? 0x7700 : 0; };
    state.data = [this](uint64_t object) {
      return data_.contains(object) ? std::optional(data_[object]) : std::nullopt;
    };
    state.remember = [this](uint64_t object, uint64_t data) { data_[object] = data; };
    ModelledCall modelled(model, state);
    end.effect();
    words.clear(); // may not be looked at any more
    modelled.finish(state, {.result = end.result, .resultSize = end.resultSize, .written = end.written}, out);
    return out;
  }
  std::vector<std::string> flows(std::string_view name, Words words, std::optional<uint64_t> result = 0) {
    return texts(call(name, std::move(words), {.result = result, .resultSize = result ? 8u : 0u}));
  }
  // The call puts the text there, as the recorder would have seen it.
  std::vector<std::string> prints(std::string_view name, Words words, const std::string& text,
                                  uint64_t total) {
    return texts(call(name, std::move(words),
                      {.result = total, .resultSize = 0, .effect = [&] { memory_.putText(0x1000, text); }}));
  }
  void own(std::string_view text) {
    auto parsed = CallModels::parse(text);
    ASSERT_TRUE(parsed) << parsed.error().message;
    models_.add(*parsed);
  }
  void SetUp() override {
    memory_.fill(0x1000, 256);
    memory_.putText(0x2000, "abc");
    memory_.putText(0x3000, "abx");
  }

  CallModels models_ = CallModels::standard();
  replay::testing::MadeMemory memory_;
  replay::ListArguments list_;
  std::map<uint64_t, uint64_t> data_;
};

TEST_F(CallModelTest, CopiesAreBytewise) {
  EXPECT_THAT(flows("memcpy", {0x1000, 0x2000, 3}, 0x1000), ElementsAre("1000+3 <= m2000+3", "r <= a0"));
  EXPECT_THAT(flows("strcpy", {0x1000, 0x2000}, 0x1000), ElementsAre("1000+4 <= m2000+4", "r <= a0"));
  EXPECT_THAT(flows("memmove", {0x2001, 0x2000, 3}, 0x2001), ElementsAre("2001+3 <= m2000+3", "r <= a0"))
      << "overlap";
  EXPECT_THAT(flows("memcpy", {0x1000, 0x2000, 0}, 0x1000), ElementsAre("r <= a0")) << "nothing is copied";
  EXPECT_THAT(flows("memset", {0x1000, 'x', 5}, std::nullopt), ElementsAre("1000+5 <- a1"))
      << "nobody uses the result";
}

TEST_F(CallModelTest, StringsEndWhereTheyEnd) {
  memory_.putText(0x1000, "12345");
  EXPECT_THAT(flows("strcat", {0x1000, 0x2000}, std::nullopt), ElementsAre("1005+4 <= m2000+4"));
  EXPECT_THAT(flows("strncat", {0x1000, 0x2000, 2}, std::nullopt),
              ElementsAre("1005+2 <= m2000+2", "1007+1 <-"));
  EXPECT_THAT(flows("strncpy", {0x1000, 0x2000, 2}, std::nullopt), ElementsAre("1000+2 <= m2000+2"));
  EXPECT_THAT(flows("strncpy", {0x1000, 0x2000, 6}, std::nullopt),
              ElementsAre("1000+4 <= m2000+4", "1004+2 <-"));
  EXPECT_THAT(flows("strlcpy", {0x1000, 0x2000, 3}, std::nullopt),
              ElementsAre("1000+2 <= m2000+2", "1002+1 <-"));
  EXPECT_THAT(flows("strlcpy", {0x1000, 0x2000, 0}, std::nullopt), IsEmpty());
  EXPECT_THAT(flows("strdup", {0x2000}, 0x4000), ElementsAre("4000+4 <= m2000+4", "r <- w"));
  EXPECT_THAT(flows("strdup", {0x2000}, 0), ElementsAre("r <- w")) << "no memory left";
}

TEST_F(CallModelTest, OnlyWhatWasLookedAt) {
  EXPECT_THAT(flows("strlen", {0x2000}, 3), ElementsAre("r <- m2000+4"));
  EXPECT_THAT(flows("strcmp", {0x2000, 0x3000}, 1), ElementsAre("r <- m2000+3 m3000+3"));
  EXPECT_THAT(flows("strncmp", {0x2000, 0x3000, 2}, 0), ElementsAre("r <- m2000+2 m3000+2"));
  EXPECT_THAT(flows("memcmp", {0x2000, 0x2000, 2}, 0), ElementsAre("r <- m2000+2"));
  EXPECT_THAT(flows("strchr", {0x2000, 'b'}, 0x2001), ElementsAre("r <- a0 a1 m2000+2"));
  EXPECT_THAT(flows("strchr", {0x2000, 'q'}, 0), ElementsAre("r <- m2000+4 a1"));
  memory_.putText(0x2100, "  -12,5");
  EXPECT_THAT(flows("atoi", {0x2100}, uint64_t(-12)), ElementsAre("r <- m2100+6"));
  EXPECT_THAT(flows("strtol", {0x2100, 0x1000, 10}, uint64_t(-12)),
              ElementsAre("1000+8 <- a0 m2100+6 a2", "r <- m2100+6 a2"));
  EXPECT_THAT(flows("strtol", {0x2100, 0, 10}, uint64_t(-12)), ElementsAre("r <- m2100+6 a2"))
      << "no end wanted";
  EXPECT_THAT(flows("atoi", {0x2000}, 0), ElementsAre("r <- m2000+1")) << "not a number";
  memory_.putText(0x2100, "1.5e3x");
  EXPECT_THAT(flows("strtod", {0x2100, 0}, 0), ElementsAre("r <- m2100+6"));
}

TEST_F(CallModelTest, TokensAreCutOutOfTheString) {
  memory_.putText(0x2100, "ab,cd");
  memory_.putText(0x2200, ",");
  EXPECT_THAT(flows("strtok", {0x2100, 0x2200}, 0x2100), ElementsAre("2102+1 <-", "r <- a0 m2200+2 m2100+3"));
  EXPECT_THAT(flows("strtok", {0, 0x2200}, 0x2103), ElementsAre("2105+1 <-", "r <- m2200+2 m2103+3"));
}

TEST_F(CallModelTest, InputIsBytewise) {
  OutsideEffect effect = call("read", {0, 0x1000, 16}, {.result = 5});
  EXPECT_THAT(texts(effect), ElementsAre("1000+5 <= i0+5", "r <- i0+5 a0 a2"));
  EXPECT_EQ(effect.inputBytes, 5u);
  effect = call("read", {0, 0x1000, 16}, {.result = uint64_t(-1)});
  EXPECT_THAT(texts(effect), ElementsAre("r <- i0+1 a0 a2")) << "an error still came from outside";
  EXPECT_EQ(effect.inputBytes, 0u);
  effect = call("fread", {0x1000, 4, 8, 9}, {.result = 2});
  EXPECT_THAT(texts(effect), ElementsAre("1000+8 <= i0+8", "r <- i0+8 a1 a2"));
  effect = call("fgets", {0x1000, 80, 9},
                {.result = 0x1000, .effect = [&] { memory_.putText(0x1000, "line\n"); }});
  EXPECT_THAT(texts(effect), ElementsAre("1000+5 <= i0+5", "1005+1 <-", "r <- i0+5 a0"));
  effect = call("getc", {9}, {.result = 'x'});
  EXPECT_THAT(texts(effect), ElementsAre("r <- i0+1"));
  EXPECT_EQ(effect.inputBytes, 1u);
  effect = call("getc", {9}, {.result = uint64_t(-1)});
  EXPECT_EQ(effect.inputBytes, 0u) << "at the end of the file nothing is taken";
}

TEST_F(CallModelTest, AnUnusedResultIsMadeUpForByWhatWasSeen) {
  EXPECT_THAT(texts(call("read", {0, 0x1000, 16},
                         {.result = std::nullopt, .resultSize = 0, .written = {{0x1001, 4}}})),
              ElementsAre("1000+5 <= i0+5"));
  EXPECT_THAT(texts(call("read", {0, 0x1000, 16}, {.result = std::nullopt, .resultSize = 0})), IsEmpty());
}

TEST_F(CallModelTest, GetlineMayMoveItsBuffer) {
  memory_.put<uint64_t>(0x1000, 0);
  memory_.put<uint64_t>(0x1008, 0);
  OutsideEffect effect = call("getline", {0x1000, 0x1008, 9}, {.result = 3, .effect = [&] {
                                                                 memory_.put<uint64_t>(0x1000, 0x4000);
                                                                 memory_.put<uint64_t>(0x1008, 120);
                                                               }});
  EXPECT_THAT(texts(effect), ElementsAre("4000+3 <= i0+3", "4003+1 <-", "1000+8 <- m1000+8 w",
                                         "1008+8 <- w m1008+8", "r <- i0+3"));
  EXPECT_EQ(effect.inputBytes, 3u);
  effect = call("getline", {0x1000, 0x1008, 9}, {.result = uint64_t(-1)});
  EXPECT_THAT(texts(effect), ElementsAre("r <- i0+1")) << "the end; the buffer stays where it is";
}

TEST_F(CallModelTest, Blocks) {
  EXPECT_THAT(flows("malloc", {8}, 0x4000), ElementsAre("r <- w"));
  EXPECT_THAT(flows("calloc", {2, 8}, 0x4000), ElementsAre("4000+16 <-", "r <- w"));
  EXPECT_THAT(flows("realloc", {0x5000, 64}, 0x6000), ElementsAre("6000+16 <= m5000+16", "r <- w"));
  EXPECT_THAT(flows("realloc", {0x5000, 8}, 0x5000), ElementsAre("5000+8 <= m5000+8", "r <- w"));
  EXPECT_THAT(flows("realloc", {0, 8}, 0x6000), ElementsAre("r <- w"));
  EXPECT_THAT(flows("realloc", {0x5000, 0}, 0), ElementsAre("r <- w a1")) << "there is none for this size";
  EXPECT_THAT(texts(call("realloc", {0x7000, 64}, {.result = 0x6000, .written = {{0x6000, 20}}})),
              ElementsAre("6000+20 <= m7000+20", "r <- w"))
      << "size not known: what was seen";
}

TEST_F(CallModelTest, PrintfGoesFieldByField) {
  memory_.putText(0x2100, "%s=%d;%%");
  EXPECT_THAT(prints("sprintf", {0x1000, 0x2100, 0x2000, 42}, "abc=42;%", 8),
              ElementsAre("1000+3 <= m2000+3", "1003+1 <= m2102+1", "1004+2 <- a3", "1006+1 <= m2105+1",
                          "1007+1 <= m2106+1", "1008+1 <-"));
  EXPECT_THAT(prints("snprintf", {0x1000, 5, 0x2100, 0x2000, 42}, "abc=", 8),
              ElementsAre("1000+3 <= m2000+3", "1003+1 <= m2102+1", "1004+1 <-"))
      << "cut off";
  EXPECT_THAT(prints("snprintf", {0x1000, 0, 0x2100, 0x2000, 42}, "", 8), IsEmpty());
  EXPECT_THAT(prints("__snprintf_chk", {0x1000, 6, 0, 99, 0x2100, 0x2000, 42}, "abc=4", 8),
              ElementsAre("1000+3 <= m2000+3", "1003+1 <= m2102+1", "1004+1 <- a6", "1005+1 <-"));
  EXPECT_THAT(flows("snprintf", {0, 0, 0x2100, 0x2000, 42}, 8), ElementsAre("r <- m2100+9 a3 m2000+3 a4"));
}

TEST_F(CallModelTest, PrintfWidthsAndPositions) {
  memory_.putText(0x2100, "%.*s|");
  EXPECT_THAT(prints("sprintf", {0x1000, 0x2100, 2, 0x2000}, "ab|", 3),
              ElementsAre("1000+2 <= m2000+2", "1002+1 <= m2104+1", "1003+1 <-"));
  memory_.putText(0x2100, "%2$s%1$d");
  EXPECT_THAT(prints("sprintf", {0x1000, 0x2100, 7, 0x2000}, "abc7", 4),
              ElementsAre("1000+3 <= m2000+3", "1003+1 <- a2", "1004+1 <-"));
  memory_.putText(0x2100, "%5s%-5s");
  EXPECT_THAT(
      prints("sprintf", {0x1000, 0x2100, 0x2000, 0x3000}, "  abcabx  ", 10),
      ElementsAre("1000+2 <- a2", "1002+3 <= m2000+3", "1005+3 <= m3000+3", "1008+2 <- a3", "100a+1 <-"));
  memory_.putText(0x2100, "%*d");
  EXPECT_THAT(prints("sprintf", {0x1000, 0x2100, 4, 7}, "   7", 4),
              ElementsAre("1000+4 <- a3 a2", "1004+1 <-"));
  memory_.putText(0x2100, "%d%n!");
  EXPECT_THAT(prints("sprintf", {0x1000, 0x2100, 7, 0x1100}, "7!", 2),
              ElementsAre("1000+1 <- a2", "1001+1 <= m2104+1", "1002+1 <-", "1100+4 <- m2100+6 a2"));
  EXPECT_THAT(flows("printf", {0x2100, 7, 0x1100}, std::nullopt),
              ElementsAre("1100+4 <- m2100+6 a1", "r <- m2100+6 a1 a2 w")); // and how much it prints
}

TEST_F(CallModelTest, AStringThatReplayHasNotSeenIsFoundInWhatWasWritten) {
  memory_.putText(0x2100, "%s,%d");
  EXPECT_THAT(prints("sprintf", {0x1000, 0x2100, 0x9000, 42}, "hello,42", 8),
              ElementsAre("1000+5 <= m9000+5", "1005+1 <= m2102+1", "1006+2 <- a3", "1008+1 <-"));
  memory_.putText(0x9000, "stale");
  EXPECT_THAT(prints("sprintf", {0x1000, 0x2100, 0x9000, 42}, "new,42", 6),
              ElementsAre("1000+3 <= m9000+3", "1003+1 <= m2102+1", "1004+2 <- a3", "1006+1 <-"));
  EXPECT_THAT(prints("snprintf", {0x1000, 5, 0x2100, 0x9000, 42}, "new,", 6),
              ElementsAre("1000+3 <= m9000+3", "1003+1 <= m2102+1", "1004+1 <-"));
  EXPECT_THAT(prints("sprintf", {0x1000, 0x2100, 0x9000, 42}, "new,43", 6),
              ElementsAre("1000+7 <- m2100+6 a2 m9000+5 a3"))
      << "this cannot be: everything of everything";
}

TEST_F(CallModelTest, ListsLeadToTheCallThatPassedTheArguments) {
  memory_.putText(0x2100, "%d");
  EXPECT_THAT(prints("vsnprintf", {0x1000, 9, 0x2100, 0x5000}, "42", 2),
              ElementsAre("1000+2 <- a3", "1002+1 <-"));
  uint64_t passed[] = {42};
  list_ = {[&](size_t n) { return n < 1 ? passed : nullptr; }, 1, 3};
  EXPECT_THAT(prints("vsnprintf", {0x1000, 9, 0x2100, 0x5000}, "42", 2),
              ElementsAre("1000+2 <- f1a2", "1002+1 <-"));
}

TEST_F(CallModelTest, ScanfReadsPiecesOfTheString) {
  memory_.putText(0x2200, " 12 word,x");
  memory_.putText(0x2100, "%d %[^,],%c");
  EXPECT_THAT(flows("sscanf", {0x2200, 0x2100, 0x1000, 0x1010, 0x1020}, 3),
              ElementsAre("1000+4 <- m2200+4", "1010+4 <= m2204+4", "1014+1 <-", "1020+1 <- m2209+2",
                          "r <- m2100+12 m2200+11"));
  EXPECT_THAT(flows("sscanf", {0x2200, 0x2100, 0x1000, 0x1010, 0x1020}, 1),
              ElementsAre("1000+4 <- m2200+4", "r <- m2100+12 m2200+11"));
  memory_.putText(0x2100, "%*d%s%n");
  EXPECT_THAT(flows("sscanf", {0x2200, 0x2100, 0x1010, 0x1020}, std::nullopt),
              ElementsAre("1010+6 <= m2204+6", "1016+1 <-", "1020+4 <- m2100+8 m2200+10"));
  memory_.putText(0x2100, "%hd %ld %s");
  EXPECT_THAT(flows("fscanf", {9, 0x2100, 0x1000, 0x1010, 0x1020}, 3),
              ElementsAre("1000+2 <- i#0", "1010+8 <- i#1", "? 1020+4096 <- i#2", "r <- m2100+11 i?"));
  EXPECT_THAT(flows("scanf", {0x2100, 0x1000, 0x1010, 0x1020}, uint64_t(-1)),
              ElementsAre("r <- m2100+11 i?"));
}

TEST_F(CallModelTest, WithoutAModelEverythingComesFromTheArguments) {
  memory_.putText(0x2100, "some text");
  OutsideEffect effect = call("frobnicate", {0x2100, 7}, {.result = 1, .written = {{0x1000, 4}}});
  EXPECT_FALSE(effect.isModelled);
  EXPECT_THAT(texts(effect), ElementsAre("1000+4 <- a0 a1 m2100+10", "? 2100+4096 <- a0 a1 m2100+10",
                                         "r <- a0 a1 m2100+10"));
}

TEST_F(CallModelTest, WhatWasSeenAndNoClauseSpeaksOf) {
  EXPECT_THAT(texts(call("strtod", {0x2000, 0}, {.result = 3, .written = {{0x1000, 2}}})),
              ElementsAre("1000+2 <- a0 a1 m2000+4", "r <- m2000+1"));
  EXPECT_THAT(texts(call("strlen", {0x2000}, {.result = 3, .written = {{0x1000, 2}}})),
              ElementsAre("1000+2 <= m1000+2", "r <- m2000+4"))
      << "it writes nothing: somebody else has, before";
  EXPECT_THAT(
      texts(call("strcpy", {0x1000, 0x9000}, {.result = 0x1000, .resultSize = 0, .written = {{0x1000, 6}}})),
      ElementsAre("1000+6 <= m9000+6"))
      << "a source that replay has not seen";
  memory_.putText(0x9000, "");
  EXPECT_THAT(
      texts(call("strcpy", {0x1000, 0x9000}, {.result = 0x1000, .resultSize = 0, .written = {{0x1000, 6}}})),
      ElementsAre("1000+6 <= m9000+6"))
      << "nor since it changed";
}

TEST_F(CallModelTest, AUsersModelOverrides) {
  own("strlen(s): result <- world\n"
      "fill(p, n, v): p[n * 4] <- v if result == 0 and n > 1; noreturn\n");
  EXPECT_THAT(flows("strlen", {0x2000}, 3), ElementsAre("r <- w"));
  EXPECT_THAT(flows("fill", {0x1000, 2, 5}, 0), ElementsAre("1000+8 <- a2"));
  EXPECT_THAT(flows("fill", {0x1000, 2, 5}, 1), IsEmpty());
  EXPECT_THAT(flows("fill", {0x1000, 1, 5}, 0), IsEmpty());
  EXPECT_TRUE(call("fill", {0x1000, 2, 5}, {.result = 0}).mayNotReturn);
  EXPECT_THAT(texts(call("fill", {0x1000, 2, 5}, {.result = std::nullopt, .resultSize = 0})),
              ElementsAre("? 1000+8 <- a2"))
      << "nobody knows whether it did";
}

TEST_F(CallModelTest, ReadvFillsItsPieces) {
  uint64_t pieces[] = {0x1000, 2, 0x1100, 8};
  for (int k = 0; k < 4; ++k) memory_.put<uint64_t>(0x2100 + 8 * k, pieces[k]);
  OutsideEffect effect = call("readv", {0, 0x2100, 2}, {.result = 5, .resultSize = 0});
  EXPECT_THAT(texts(effect), ElementsAre("1000+2 <= i0+2", "1100+3 <= i2+3"));
  EXPECT_EQ(effect.inputBytes, 5u);
  EXPECT_THAT(texts(call("readv", {0, 0x2100, 2}, {.result = 1, .resultSize = 0})),
              ElementsAre("1000+1 <= i0+1"));
}

TEST_F(CallModelTest, VariablesOfALibrary) {
  memory_.putText(0x2100, "a:");
  EXPECT_THAT(flows("getopt", {2, 0x3000, 0x2100}, 'a'),
              ElementsAre("? 7700+8 <- m3000+16", "? 3000+16 <- m3000+16", "r <- a0 m3000+16 m2100+3"));
}

TEST_F(CallModelTest, WhereAnObjectKeepsItsBytes) {
  own("bytes(this): result <- this[8]; result[?] <- (this + 8)[8]; data(this) = result\n"
      "sum(this): result <- (data(this))[4]\n"
      "drop(this): data(this) = 0\n");
  EXPECT_THAT(flows("bytes", {0x1000}, 0x3000), ElementsAre("? 3000+4096 <- m1008+8", "r <- m1000+8"));
  EXPECT_THAT(flows("sum", {0x1000}, 1), ElementsAre("r <- m3000+4"));
  EXPECT_THAT(flows("drop", {0x1000}, std::nullopt), IsEmpty());
  EXPECT_THAT(flows("sum", {0x1000}, 1), ElementsAre("r <-"));
  memory_.put<uint64_t>(0x1080, 0x4400);
  EXPECT_THAT(flows("sum", {0x1080}, 1), ElementsAre("r <- m4400+4")) << "as the object itself says";
}

TEST_F(CallModelTest, AddressesThatReplayHasNotSeen) {
  memory_.putText(0x2100, "%d");
  OutsideEffect effect = call("asprintf", {0x8000, 0x2100, 1}, {.result = 1, .resultSize = 0});
  EXPECT_TRUE(effect.isPartial);
  EXPECT_THAT(texts(effect), ElementsAre("8000+8 <- w"));
}

} // namespace
} // namespace faultline::depend
