// Inputs as a whole: how they are cut, put together again, made smaller and brought closer to each other.
#include "technique/minimize/difference.h"
#include "technique/minimize/isolate_inputs.h"
#include "technique/minimize/minimize.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace faultline::technique {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> cut(std::string_view text, const Unit& unit) {
  std::vector<std::string> out;
  for (const Piece& p : cutInto(text, unit)) out.emplace_back(text.substr(p.begin, p.size()));
  return out;
}

TEST(Units, FollowEachOtherAndAreTheText) {
  EXPECT_THAT(cut("one\ntwo\n\nthree", {.kind = Unit::Lines}), ElementsAre("one\n", "two\n", "\n", "three"));
  EXPECT_THAT(cut("a\nb\n\n\nc\n", {.kind = Unit::Paragraphs}), ElementsAre("a\nb\n\n\n", "c\n"));
  EXPECT_THAT(cut("x1 += f(22);", {.kind = Unit::Tokens}),
              ElementsAre("x1", " ", "+", "=", " ", "f", "(", "22", ")", ";"));
  EXPECT_THAT(cut("a::b::", {.kind = Unit::Separated, .separator = "::"}), ElementsAre("a::", "b::"));
  EXPECT_THAT(cut("f(a, g(b), c);", {.kind = Unit::Items, .depth = 1}), ElementsAre("a,", " g(b),", " c"));
  EXPECT_THAT(cut("f(a, g(b), c);", {.kind = Unit::Items, .depth = 1, .isLeading = true}),
              ElementsAre("a", ", g(b)", ", c"));
  EXPECT_THAT(cut("f(a, g(b), \")\");", {.kind = Unit::Items, .depth = 2}), ElementsAre("b"));
  for (Unit::Kind kind : {Unit::Whole, Unit::Paragraphs, Unit::Lines, Unit::Tokens, Unit::Bytes}) {
    std::mt19937 random(1);
    for (int round = 0; round < 200; ++round) {
      std::string text, again;
      for (int k = 0; k < 30; ++k) text += "ab \n(),x\""[random() % 9];
      for (const std::string& piece : cut(text, {.kind = kind})) again += piece;
      ASSERT_EQ(again, text);
    }
  }
}

TEST(Units, BracketsThatDoNotMatchAreSkipped) {
  EXPECT_THAT(bracketPairs("(a[b)c]"), ElementsAre(Piece{0, 5}));
  EXPECT_THAT(bracketPairs("}{(\"(\")"), ElementsAre(Piece{2, 7}));
  EXPECT_EQ(deepest("a(b[c]{})"), 2u);
  EXPECT_EQ(deepest("it's (fine"), 0u);
}

InputSet standardInput(std::string bytes) {
  return {{.kind = InputSource::StandardInput, .bytes = std::move(bytes)}};
}

TEST(Inputs, OfWordsAndVariablesAreAppliedToTheRun) {
  experiment::RunSpec run{
      .argv = {"p", "one", "two", "three"}, .env = {"A=1", "B=22"}, .cwd = "/", .input = "in"};
  InputSet inputs = {{.kind = InputSource::StandardInput, .bytes = "in"},
                     {.kind = InputSource::File, .name = "f", .path = "/f", .bytes = "file"},
                     {.kind = InputSource::Argument, .argument = 1, .bytes = "one"},
                     {.kind = InputSource::Argument, .argument = 3, .bytes = "three"},
                     {.kind = InputSource::Variable, .name = "B", .bytes = "22"}};
  auto parts = partsOf(inputs, {.kind = Unit::Bytes});
  EXPECT_EQ(parts.size(), 2u + 4u + (1 + 3) + (1 + 5) + (1 + 2));
  // Without "i" of the input, all of the file, the first word, "t" of the third, a "2".
  Subset kept;
  for (uint32_t k = 0; k < parts.size(); ++k)
    if (k != 0 && !(k >= 2 && k < 6) && k != 6 && k != 11 && k != 17) kept.push_back(k);
  experiment::RunSpec less = applied(run, keptOf(inputs, parts, kept));
  EXPECT_EQ(less.input, "n");
  EXPECT_THAT(less.argv, ElementsAre("p", "two", "hree"));
  EXPECT_THAT(less.env, ElementsAre("A=1", "B=2"));
  ASSERT_EQ(less.files.size(), 1u);
  EXPECT_EQ(less.files[0].bytes, "");
}

// Byte by byte: what is in a piece that is not kept is gone.
InputSet keptPlainly(const InputSet& inputs, const std::vector<Part>& parts, const Subset& kept) {
  InputSet out = inputs;
  std::vector<std::vector<bool>> gone;
  for (const InputSource& s : inputs) gone.emplace_back(s.bytes.size(), false);
  for (uint32_t k = 0; k < parts.size(); ++k) {
    const Part& p = parts[k];
    if (std::ranges::binary_search(kept, k)) continue;
    for (size_t b = p.piece.begin; b < p.piece.end; ++b) gone[p.source][b] = true;
    if (p.isPresence) out[p.source].isPresent = false;
  }
  for (size_t s = 0; s < inputs.size(); ++s) {
    out[s].bytes.clear();
    for (size_t b = 0; b < inputs[s].bytes.size() && out[s].isPresent; ++b)
      if (!gone[s][b]) out[s].bytes += inputs[s].bytes[b];
  }
  return out;
}

TEST(Inputs, WhatIsKeptIsWhatNoPieceTookAway) {
  std::mt19937 random(3);
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (int k = 0; k < 40; ++k) text += "ab \n(),x\""[random() % 9];
    InputSet inputs = {{.kind = InputSource::StandardInput, .bytes = text},
                       {.kind = InputSource::Argument, .argument = 1, .bytes = "word"},
                       {.kind = InputSource::File, .name = "f", .path = "/f", .bytes = "a(b,c)"}};
    const Unit kUnits[] = {{.kind = Unit::Bytes},
                           {.kind = Unit::Tokens},
                           {.kind = Unit::Items, .depth = 1},
                           {.kind = Unit::Whole}};
    auto parts = partsOf(inputs, kUnits[random() % 4]);
    // In rows, as a search takes them away.
    Subset kept;
    bool isKept = random() % 2;
    for (uint32_t k = 0; k < parts.size(); ++k) {
      if (random() % 6 == 0) isKept = !isKept;
      if (isKept) kept.push_back(k);
    }
    ASSERT_EQ(keptOf(inputs, parts, kept), keptPlainly(inputs, parts, kept)) << round;
  }
}

struct Counted {
  InputExperiment experiment;
  std::shared_ptr<std::atomic<int>> runs = std::make_shared<std::atomic<int>>(0);
};

Counted failsIf(std::function<bool(const InputSet&)> fails) {
  Counted out;
  out.experiment = [runs = out.runs,
                    fails = std::move(fails)](const InputSet& inputs) -> Result<TrialOutcome> {
    ++*runs;
    return fails(inputs) ? TrialOutcome::Fail : TrialOutcome::Pass;
  };
  return out;
}

std::string manyLines(size_t count) {
  std::string text;
  for (size_t k = 0; k < count; ++k) text += fmt::format("line {} of many, with words\n", k);
  return text;
}

TEST(MinimizeInputs, WhatWasNotReadGoesFirst) {
  std::string text = manyLines(500);
  text.insert(1000, "!");
  auto test = failsIf([](const InputSet& i) { return i[0].bytes.find('!') < 1100; });
  auto found = minimizeInputs(standardInput(text), test.experiment, {.read = 1024});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inputs[0].bytes, "!");
  EXPECT_LE(found->timeline[1].bytes, 1024u);
  // It may be needed all the same.
  auto atEnd = failsIf([&](const InputSet& i) { return i[0].bytes.find("499") != std::string::npos; });
  auto other = minimizeInputs(standardInput(text), atEnd.experiment, {.read = 1024});
  ASSERT_TRUE(other);
  EXPECT_EQ(other->inputs[0].bytes, "499");
  EXPECT_EQ(other->levels[0].after, text.size());
}

TEST(MinimizeInputs, WhatWasNotReadGoesByWholePieces) {
  std::string text = manyLines(500);
  auto test = failsIf([](const InputSet& i) { return i[0].bytes.find("line 3 ") != std::string::npos; });
  auto found =
      minimizeInputs(standardInput(text), test.experiment, {.finest = {.kind = Unit::Lines}, .read = 1024});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inputs[0].bytes, "line 3 of many, with words\n");
  for (const MinimizeStep& step : found->timeline)
    EXPECT_TRUE(step.bytes == text.size() || text[step.bytes - 1] == '\n' || step.bytes < 1024) << step.bytes;
  ASSERT_GE(found->timeline.size(), 2u);
  EXPECT_EQ(text[found->timeline[1].bytes - 1], '\n');
}

TEST(MinimizeInputs, OfWhatWasReadTheStartAndTheEndAreTriedFirst) {
  std::string text = manyLines(2000);
  auto test = failsIf([](const InputSet& i) {
    return i[0].bytes.starts_with("line 0 ") && i[0].bytes.find("line 1500 ") != std::string::npos;
  });
  size_t read = text.find("line 1510 ");
  auto found =
      minimizeInputs(standardInput(text), test.experiment, {.finest = {.kind = Unit::Lines}, .read = read});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inputs[0].bytes, "line 0 of many, with words\nline 1500 of many, with words\n");
  EXPECT_LT(found->timeline[1].bytes, text.size() / 8);
  EXPECT_EQ(found->levels[0].verdicts, 1u);
}

TEST(MinimizeInputs, FromLinesToBytes) {
  std::string text = manyLines(2000);
  text.insert(text.find("line 1200"), "let begin = 1; overflow(begin, 7777777)\n");
  auto test = failsIf([](const InputSet& i) {
    size_t at = i[0].bytes.find("overflow(");
    return at != std::string::npos && i[0].bytes.find(')', at) != std::string::npos;
  });
  auto found = minimizeInputs(standardInput(text), test.experiment, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inputs[0].bytes, "overflow()");
  EXPECT_TRUE(found->isOneMinimal);
  EXPECT_EQ(found->unit, "bytes");
  EXPECT_LT(*test.runs, 250);
  // Each step on the way is told, with when it was.
  ASSERT_GE(found->timeline.size(), 3u);
  EXPECT_EQ(found->timeline.front().bytes, text.size());
  EXPECT_EQ(found->timeline.back().bytes, 10u);
  for (size_t k = 1; k < found->timeline.size(); ++k) {
    const MinimizeStep &before = found->timeline[k - 1], &step = found->timeline[k];
    EXPECT_LT(step.bytes, before.bytes);
    EXPECT_GE(step.seconds, before.seconds);
    EXPECT_GE(step.runs, before.runs);
  }
}

TEST(MinimizeInputs, StructureIsCutByItems) {
  std::string text = "[";
  for (int k = 0; k < 300; ++k)
    text += fmt::format("{{\"id\":{},\"tags\":[1,[2,3],{{}}]}}{}", k, k < 299 ? "," : "]");
  // Only what is well formed comes as far as the fault.
  auto test = failsIf([](const InputSet& i) {
    const std::string& s = i[0].bytes;
    int depth = 0;
    for (size_t k = 0; k < s.size(); ++k) {
      if (s[k] == '[' || s[k] == '{') ++depth;
      if ((s[k] == ']' || s[k] == '}') && --depth < 0) return false;
      if (s[k] == ',' && (k + 1 == s.size() || s[k + 1] == ',' || s[k + 1] == ']' || s[k + 1] == '}'))
        return false;
    }
    return depth == 0 && s.find("[2,3]") != std::string::npos && s.starts_with("[{");
  });
  auto found = minimizeInputs(standardInput(text), test.experiment, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inputs[0].bytes.size(), std::string("[{}[2,3]]").size()) << found->inputs[0].bytes;
  EXPECT_LT(*test.runs, 900);
}

TEST(MinimizeInputs, BracketsGoTogetherEvenWhereNoneCanGoAlone) {
  auto balanced = [](const std::string& s) {
    return std::ranges::count(s, '(') == std::ranges::count(s, ')') && s.find('X') != std::string::npos;
  };
  auto found =
      minimizeInputs(standardInput("((((a)X(b))))"),
                     failsIf([&](const InputSet& i) { return balanced(i[0].bytes); }).experiment, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inputs[0].bytes, "X");
}

TEST(MinimizeInputs, SeveralSourcesAtOnce) {
  InputSet inputs = {
      {.kind = InputSource::StandardInput, .bytes = manyLines(100)},
      {.kind = InputSource::File, .name = "f", .path = "/f", .bytes = manyLines(100) + "key=9\n"},
      {.kind = InputSource::Argument, .argument = 1, .bytes = "--verbose"},
      {.kind = InputSource::Argument, .argument = 2, .bytes = "f", .isFixed = true},
      {.kind = InputSource::Variable, .name = "MODE", .bytes = "fast,deep"},
      {.kind = InputSource::Variable, .name = "HOME", .bytes = "/root"}};
  auto test = failsIf([](const InputSet& i) {
    return i[1].bytes.find("key=") != std::string::npos && i[3].isPresent && i[4].isPresent &&
           i[4].bytes.find("deep") != std::string::npos;
  });
  auto found = minimizeInputs(inputs, test.experiment, {.search = {.workers = 2}});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->isOneMinimal);
  EXPECT_EQ(found->inputs[0].bytes, "");
  EXPECT_EQ(found->inputs[1].bytes, "key=");
  EXPECT_FALSE(found->inputs[2].isPresent);
  EXPECT_EQ(found->inputs[3].bytes, "f");
  EXPECT_EQ(found->inputs[4].bytes, "deep");
  EXPECT_FALSE(found->inputs[5].isPresent);
}

TEST(MinimizeInputs, NotFinerThanAsked) {
  auto test = failsIf([](const InputSet& i) { return i[0].bytes.find("bad") != std::string::npos; });
  auto lines =
      minimizeInputs(standardInput("a\nb bad c\nd\n"), test.experiment, {.finest = {.kind = Unit::Lines}});
  ASSERT_TRUE(lines);
  EXPECT_EQ(lines->inputs[0].bytes, "b bad c\n");
  EXPECT_EQ(lines->unit, "lines");
  EXPECT_TRUE(lines->isOneMinimal);
  auto parts = minimizeInputs(standardInput("a;;b bad;;d"), test.experiment,
                              {.finest = {.kind = Unit::Separated, .separator = ";;"}});
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->inputs[0].bytes, "b bad;;");
  // Also of what is no text, if it is asked for.
  auto binary = minimizeInputs(standardInput(std::string("a\0\nbad\0\n\0", 9)), test.experiment,
                               {.finest = {.kind = Unit::Lines}});
  ASSERT_TRUE(binary);
  EXPECT_EQ(binary->inputs[0].bytes, std::string("bad\0\n", 5));
}

TEST(MinimizeInputs, WhatTheFailureDoesNotDependOnGoesFirst) {
  std::string text = manyLines(500);
  size_t at = text.find("300");
  auto fails = [](const InputSet& i) { return i[0].bytes.find("300") != std::string::npos; };
  auto plain = failsIf(fails), guided = failsIf(fails), misled = failsIf(fails);
  MinimizeOptions options;
  ASSERT_TRUE(minimizeInputs(standardInput(text), plain.experiment, options));
  auto dependsOn = [&](Piece piece) {
    options.dependence = [piece](const MinimizeState&) {
      return Result<std::optional<Dependence>>(Dependence{{piece}});
    };
  };
  dependsOn({at, at + 3});
  auto found = minimizeInputs(standardInput(text), guided.experiment, options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inputs[0].bytes, "300");
  EXPECT_EQ(found->dependenceTaken, true);
  EXPECT_EQ(found->dependenceRemoved, text.size() - 3);
  EXPECT_LT(*guided.runs * 3, *plain.runs);
  dependsOn({0, 3});
  found = minimizeInputs(standardInput(text), misled.experiment, options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inputs[0].bytes, "300");
  EXPECT_EQ(found->dependenceTaken, false);
}

// What the failure depends on is asked for where more is left to do than that would take.
TEST(MinimizeInputs, SaysWhatTheRestWillTake) {
  std::string text = manyLines(500) + std::string(900, 'x');
  auto test =
      failsIf([](const InputSet& i) { return i[0].bytes.find(std::string(900, 'x')) != std::string::npos; });
  MinimizeOptions options;
  options.secondsOfOne = 0.001;
  std::vector<MinimizeState> seen;
  options.dependence = [&](const MinimizeState& state) {
    seen.push_back(state);
    return Result<std::optional<Dependence>>(std::nullopt);
  };
  auto found = minimizeInputs(standardInput(text), test.experiment, options);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->dependenceTaken, std::nullopt);
  ASSERT_GT(seen.size(), 2u);
  EXPECT_EQ(seen.front().bytes, text.size());
  EXPECT_NEAR(seen.front().expected, 0.04, 0.001) << "nothing is known yet of how much can go at once";
  EXPECT_EQ(seen.back().bytes, 900u);
  // A trial for each byte that is left, each as long as those before took.
  EXPECT_GT(seen.back().expected, 0);
}

TEST(MinimizeInputs, OneMinimalWhateverTheProgramDoes) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    std::string text;
    size_t size = 1 + random() % 60;
    for (size_t k = 0; k < size; ++k) text += "abc (){}\n\n,;x1"[random() % 14];
    uint64_t share = 5 + random() % 40;
    auto outcome = [&](const std::string& s) {
      if (s == text) return TrialOutcome::Fail;
      uint64_t draw = keyOf(s, seed).low % 100;
      return draw < share ? TrialOutcome::Fail : draw < 70 ? TrialOutcome::Pass : TrialOutcome::Unresolved;
    };
    auto experiment = [&](const InputSet& i) -> Result<TrialOutcome> { return outcome(i[0].bytes); };
    auto one = minimizeInputs(standardInput(text), experiment, {});
    auto many = minimizeInputs(standardInput(text), experiment, {.search = {.workers = 3}});
    ASSERT_TRUE(one && many);
    const std::string& least = one->inputs[0].bytes;
    ASSERT_EQ(many->inputs[0].bytes, least) << seed;
    ASSERT_EQ(many->stats.verdicts, one->stats.verdicts) << seed;
    ASSERT_TRUE(one->isOneMinimal);
    ASSERT_EQ(outcome(least), TrialOutcome::Fail) << seed;
    for (size_t k = 0; k < least.size(); ++k) {
      std::string less = least;
      less.erase(k, 1);
      ASSERT_NE(outcome(less), TrialOutcome::Fail) << seed;
    }
  }
}

TEST(Difference, NoneIsTheFirstAndAllIsTheSecond) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    std::mt19937_64 random(seed);
    auto text = [&] {
      std::string out;
      for (size_t k = random() % 20; k > 0; --k) out += "ab\n"[random() % 3];
      return out;
    };
    InputSet a = standardInput(text()), b = standardInput(text());
    Unit unit{.kind = seed % 2 ? Unit::Bytes : Unit::Lines};
    Difference difference(a, b, unit);
    ASSERT_EQ(difference.with({}), a) << seed;
    ASSERT_EQ(difference.with(allOf(difference.size())), b) << seed;
    ASSERT_EQ(difference.size() == 0, a == b) << seed;
    size_t most = cutInto(a[0].bytes, unit).size() + cutInto(b[0].bytes, unit).size();
    ASSERT_LE(difference.size(), most) << seed;
  }
}

TEST(Difference, IsAsSmallAsItCanBe) {
  InputSet a = standardInput("the quick brown fox"), b = standardInput("the quack brown ox");
  EXPECT_EQ(Difference(a, b, {.kind = Unit::Bytes}).size(), 3u); // i goes, a comes, f goes
}

TEST(IsolateInputs, OneByteIsLeftOfADifferenceOfManyLines) {
  std::string good = manyLines(300), bad = good;
  bad.insert(bad.find("line 100"), "new line\n");
  bad.replace(bad.find("line 150"), 4, "lane");
  bad.insert(bad.find("line 200"), "size=-1\n");
  auto test = failsIf([](const InputSet& i) { return i[0].bytes.find("=-") != std::string::npos; });
  auto found = isolateInputs(standardInput(good), standardInput(bad), test.experiment, {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->steps, 1u);
  EXPECT_TRUE(found->isMinimal);
  EXPECT_EQ(found->failing[0].bytes.size(), found->passing[0].bytes.size() + 1);
  EXPECT_NE(found->failing[0].bytes.find("=-"), std::string::npos);
  EXPECT_EQ(found->passing[0].bytes.find("=-"), std::string::npos);
  EXPECT_LT(*test.runs, 40);
}

} // namespace
} // namespace faultline::technique
