#include "replay/output_call.h"

#include "unit/replay/stopped_state.h"

#include <gmock/gmock.h>

namespace faultline::replay {
namespace {

using namespace testing;
using ::testing::ElementsAre;

// "text@argument" for each field of one call.
class OutputCall : public ::testing::Test {
protected:
  std::vector<std::string> fields(std::string_view name, std::vector<uint64_t> words,
                                  OstreamState state = {}) {
    const OutputFunction* f = outputFunction(name);
    if (!f) return {"no output function"};
    OutputArguments arguments;
    arguments.words = [&](size_t n) { return n < words.size() ? &words[n] : nullptr; };
    arguments.memory = &memory_;
    arguments.ostream = [&](uint64_t) { return state; };
    arguments.nameOf = [](uint64_t address) { return address == 0xe ? "_ZSt4endlIcE" : ""; };
    std::vector<std::string> out;
    for (const OutputField& field : outputFields(*f, arguments))
      out.push_back((field.isKnown ? field.text : "?") + "@" + std::to_string(field.argument));
    return out;
  }
  void SetUp() override {
    memory_.putText(0x1000, "hello");
    memory_.putText(0x2000, "%s %d\n");
  }
  MadeMemory memory_;
};

TEST_F(OutputCall, PlainFunctions) {
  EXPECT_THAT(fields("puts", {0x1000}), ElementsAre("hello@1", "\n@0"));
  EXPECT_THAT(fields("fputs", {0x1000, 9}), ElementsAre("hello@1"));
  EXPECT_THAT(fields("putc", {'x', 9}), ElementsAre("x@1"));
  EXPECT_THAT(fields("write", {1, 0x1000, 3}), ElementsAre("hel@2"));
  EXPECT_THAT(fields("fwrite", {0x1000, 2, 2, 9}), ElementsAre("hell@1"));
  EXPECT_THAT(fields("perror", {0x1000}), ElementsAre("hello@1", ": @0", "?@0", "\n@0"));
  EXPECT_THAT(fields("write", {1, 0x9000, 3}), ElementsAre("?@2"));
}

TEST_F(OutputCall, SeveralPieces) {
  memory_.put<uint64_t>(0x3000, 0x1000);
  memory_.put<uint64_t>(0x3008, 2);
  memory_.put<uint64_t>(0x3010, 0x1002);
  memory_.put<uint64_t>(0x3018, 3);
  EXPECT_THAT(fields("writev", {1, 0x3000, 2}), ElementsAre("he@2", "llo@2"));
}

TEST_F(OutputCall, ArgumentsAreThoseOfTheCall) {
  EXPECT_THAT(fields("printf", {0x2000, 0x1000, 7}), ElementsAre("hello@2", " @1", "7@3", "\n@1"));
  EXPECT_THAT(fields("fprintf", {9, 0x2000, 0x1000, 7}), ElementsAre("hello@3", " @2", "7@4", "\n@2"));
  EXPECT_THAT(fields("__fprintf_chk", {9, 1, 0x2000, 0x1000, 7}),
              ElementsAre("hello@4", " @3", "7@5", "\n@3"));
  EXPECT_THAT(fields("vprintf", {0x2000, 0x5000}), ElementsAre("?@2", " @1", "?@2", "\n@1"))
      << "without the arguments the list is all that is known";
}

TEST_F(OutputCall, Streams) {
  EXPECT_THAT(fields("_ZNSolsEi", {0xc, uint64_t(-3)}), ElementsAre("-3@2"));
  EXPECT_THAT(fields("_ZNSolsEi", {0xc, 255}, {.flags = 8}), ElementsAre("ff@2"));
  EXPECT_THAT(fields("_ZNSolsEb", {0xc, 1}, {.flags = 1}), ElementsAre("true@2"));
  EXPECT_THAT(fields("_ZNSolsEi", {0xc, 7}, {.widths = {3}, .fill = '0'}), ElementsAre("007@2"));
  EXPECT_THAT(fields("_ZNSolsEd", {0xc, 0x4004000000000000}, {.precisions = {2}, .flags = 4}),
              ElementsAre("2.50@2"));
  EXPECT_THAT(fields("_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc", {0xc, 0x1000}),
              ElementsAre("hello@2"));
  EXPECT_THAT(fields("_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l",
                     {0xc, 0x1000, 4}, {.widths = {6}}),
              ElementsAre("  hell@2"));
  EXPECT_THAT(fields("_ZNSolsEPFRSoS_E", {0xc, 0xe}), ElementsAre("\n@0"));
  EXPECT_EQ(outputFunction("strlen"), nullptr);
  EXPECT_EQ(outputFunction("_ZStwhatever"), nullptr);
}

} // namespace
} // namespace faultline::replay
