// ddmin and dd over random predicates: what they promise holds whatever the predicate is.
#include "technique/minimize/isolate.h"
#include "technique/minimize/simplify.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <random>
#include <set>

namespace faultline::technique {
namespace {

using Rule = std::function<TrialOutcome(const Subset&)>;

uint64_t mixed(uint64_t x) {
  x ^= x >> 31, x *= 0x7fb5d329728ea185ull, x ^= x >> 27, x *= 0x81dadef4bc2dd44dull;
  return x ^ x >> 33;
}

uint64_t hashOf(const Subset& subset, uint64_t seed) {
  uint64_t h = mixed(seed + 1);
  for (uint32_t e : subset) h = mixed(h * 31 + e + 1);
  return h;
}

struct Asked {
  std::mutex mutex;
  std::set<Subset> subsets;
  size_t twice = 0;
};

Tester testerOf(const Rule& rule, const std::shared_ptr<Asked>& asked, bool slow = false) {
  return [rule, asked, slow](const Subset& subset) {
    return Trial{keyOf(subset), [rule, asked, subset, slow]() -> Result<TrialOutcome> {
                   {
                     std::lock_guard lock(asked->mutex);
                     if (!asked->subsets.insert(subset).second) ++asked->twice;
                   }
                   // Later ones often end before earlier ones.
                   if (slow) std::this_thread::sleep_for(std::chrono::microseconds(hashOf(subset, 7) % 200));
                   return rule(subset);
                 }};
  };
}

bool contains(const Subset& subset, const Subset& part) {
  return std::includes(subset.begin(), subset.end(), part.begin(), part.end());
}

enum Kind { Monotone, MonotoneUnresolved, Wild, WildUnresolved, Structured, kKinds };

// The whole fails, and the empty subset passes.
Rule randomRule(Kind kind, size_t size, uint64_t seed) {
  std::mt19937_64 random(seed);
  auto part = [&](size_t most) {
    Subset out;
    for (uint32_t e = 0; e < size; ++e)
      if (random() % size < most) out.push_back(e);
    return out;
  };
  std::vector<Subset> causes;
  for (size_t k = 0; k <= random() % 3; ++k) {
    causes.push_back(part(1 + random() % 4));
    if (causes.back().empty()) causes.back().push_back(uint32_t(random() % size));
  }
  uint64_t share = random() % 60;
  return [=](const Subset& subset) {
    if (subset.size() == size) return TrialOutcome::Fail;
    if (subset.empty()) return TrialOutcome::Pass;
    uint64_t draw = hashOf(subset, seed) % 100;
    bool fails = std::ranges::any_of(causes, [&](const Subset& c) { return contains(subset, c); });
    switch (kind) {
    case Monotone:
      return fails ? TrialOutcome::Fail : TrialOutcome::Pass;
    case MonotoneUnresolved:
      return draw < share ? TrialOutcome::Unresolved : fails ? TrialOutcome::Fail : TrialOutcome::Pass;
    case Wild:
      return draw < share ? TrialOutcome::Fail : TrialOutcome::Pass;
    case WildUnresolved:
      return draw < share / 2 ? TrialOutcome::Fail
             : draw < 80      ? TrialOutcome::Unresolved
                              : TrialOutcome::Pass;
    default: { // an element needs the one of half its number, as a use needs its definition
      for (uint32_t e : subset)
        if (e > 1 && e % 3 && !std::ranges::binary_search(subset, e / 2)) return TrialOutcome::Unresolved;
      return fails ? TrialOutcome::Fail : TrialOutcome::Pass;
    }
    }
  };
}

struct Case {
  size_t size;
  Rule rule;
};

Case caseOf(uint64_t seed) {
  std::mt19937_64 random(seed * 77 + 5);
  size_t size = 1 + random() % (seed % 10 == 0 ? 300 : 24);
  return {size, randomRule(Kind(seed % kKinds), size, seed)};
}

Subset oneLess(const Subset& from, size_t k) {
  Subset out = from;
  out.erase(out.begin() + ptrdiff_t(k));
  return out;
}

TEST(Simplify, TheResultFailsAndNoElementOfItCanBeLeftOut) {
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    Case c = caseOf(seed);
    auto asked = std::make_shared<Asked>();
    Search search({});
    auto found = simplify(search, testerOf(c.rule, asked), allOf(c.size), {.cutsEnds = seed % 2 == 0});
    ASSERT_TRUE(found) << seed;
    ASSERT_TRUE(found->isOneMinimal) << seed;
    ASSERT_EQ(c.rule(found->kept), TrialOutcome::Fail) << seed;
    for (size_t k = 0; k < found->kept.size(); ++k)
      ASSERT_NE(c.rule(oneLess(found->kept, k)), TrialOutcome::Fail) << seed << " without element " << k;
    ASSERT_EQ(asked->twice, 0u) << seed;
    ASSERT_EQ(asked->subsets.size(), search.stats().runs) << seed;
  }
}

TEST(Simplify, ManyWorkersGiveTheSameResultWithTheSameVerdicts) {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Case c = caseOf(seed);
    auto asked = std::make_shared<Asked>(), askedAtOnce = std::make_shared<Asked>();
    Search one({}), many({.workers = unsigned(2 + seed % 4)});
    auto expected = simplify(one, testerOf(c.rule, asked), allOf(c.size));
    auto found = simplify(many, testerOf(c.rule, askedAtOnce, seed % 4 == 0), allOf(c.size));
    ASSERT_TRUE(expected && found) << seed;
    ASSERT_EQ(found->kept, expected->kept) << seed;
    ASSERT_EQ(many.stats().verdicts, one.stats().verdicts) << seed;
    ASSERT_EQ(many.stats().known, one.stats().known) << seed;
    ASSERT_EQ(askedAtOnce->twice, 0u) << seed;
    ASSERT_TRUE(std::ranges::includes(askedAtOnce->subsets, asked->subsets)) << seed;
  }
}

TEST(Simplify, FindsTheOnlyCauseOfALargeSequenceInFewRuns) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    const size_t size = 100'000;
    std::set<uint32_t> cause;
    while (cause.size() < 4) cause.insert(uint32_t(random() % size));
    Subset expected(cause.begin(), cause.end());
    Search search({});
    auto found = simplify(
        search,
        testerOf(
            [&](const Subset& s) { return contains(s, expected) ? TrialOutcome::Fail : TrialOutcome::Pass; },
            std::make_shared<Asked>()),
        allOf(size));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kept, expected);
    EXPECT_LT(search.stats().runs, 4 * 2 * 19u + 3)
        << "two runs for each halving of each cause, and the ends";
  }
}

TEST(Simplify, WhatNeedsTheStartAndTheEndIsFoundByTryingLittle) {
  for (uint32_t size : {8u, 100u, 5000u, 40'000u}) {
    Subset expected = {0, 1, size - 1};
    Search search({});
    uint64_t tried = 0;
    auto rule = [&](const Subset& s) {
      tried += s.size();
      return contains(s, expected) ? TrialOutcome::Fail : TrialOutcome::Pass;
    };
    auto found = simplify(search, testerOf(rule, std::make_shared<Asked>()), allOf(size));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->kept, expected);
    if (size > 100) EXPECT_LT(tried, 4 * size) << "all that was tried, together";
  }
}

TEST(Simplify, WhereOneAfterTheOtherCanGoMoreIsTriedEachTime) {
  // Only the last element of what is there can go: nothing can be cut from within.
  Search search({});
  auto rule = [](const Subset& s) {
    return s.size() >= 5 && s.back() + 1 == s.size() ? TrialOutcome::Fail : TrialOutcome::Unresolved;
  };
  auto found = simplify(search, testerOf(rule, std::make_shared<Asked>()), allOf(3000),
                        {.cutsEnds = false, .largestChunk = 1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kept, allOf(5));
  EXPECT_LT(search.stats().runs, 100u);
}

TEST(Simplify, StoppedItHasTheBestSoFarAndDoesNotCallItMinimal) {
  Case c{1000, [](const Subset& s) {
           return contains(s, {3, 500, 900}) ? TrialOutcome::Fail : TrialOutcome::Pass;
         }};
  for (unsigned workers : {1u, 3u}) {
    size_t verdicts = 0;
    Search search(
        {.workers = workers, .stop = [&] { return verdicts >= 12; }, .onVerdict = [&] { ++verdicts; }});
    Subset best = allOf(c.size);
    auto found = simplify(search, testerOf(c.rule, std::make_shared<Asked>()), allOf(c.size),
                          {.onReduced = [&](const Subset& kept) { best = kept; }});
    ASSERT_TRUE(found);
    EXPECT_TRUE(search.wasStopped());
    EXPECT_FALSE(found->isOneMinimal);
    EXPECT_EQ(found->kept, best);
    EXPECT_LT(best.size(), 1000u);
    EXPECT_EQ(c.rule(best), TrialOutcome::Fail);
  }
}

TEST(Simplify, AnErrorOfATrialEndsIt) {
  Search search({.workers = 2});
  auto found = simplify(
      search,
      [](const Subset& s) {
        return Trial{keyOf(s), [n = s.size()]() -> Result<TrialOutcome> {
                       if (n < 20) return errorf("no more processes");
                       return TrialOutcome::Fail;
                     }};
      },
      allOf(100));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "no more processes");
}

TEST(Isolate, TheTwoDifferAsLittleAsPossible) {
  size_t single = 0;
  for (uint64_t seed = 0; seed < 5000; ++seed) {
    Case c = caseOf(seed);
    auto asked = std::make_shared<Asked>();
    Search search({});
    auto found = isolate(search, testerOf(c.rule, asked), {}, allOf(c.size));
    ASSERT_TRUE(found) << seed;
    ASSERT_TRUE(found->isMinimal) << seed;
    ASSERT_EQ(c.rule(found->passing), TrialOutcome::Pass) << seed;
    ASSERT_EQ(c.rule(found->failing), TrialOutcome::Fail) << seed;
    ASSERT_TRUE(contains(found->failing, found->passing)) << seed;
    Subset difference = found->difference();
    ASSERT_FALSE(difference.empty()) << seed;
    ASSERT_EQ(asked->twice, 0u) << seed;
    if (difference.size() == 1) {
      ++single;
      continue;
    }
    for (uint32_t e : difference) {
      ASSERT_EQ(c.rule(together(found->passing, {e})), TrialOutcome::Unresolved) << seed;
      ASSERT_EQ(c.rule(without(found->failing, {e})), TrialOutcome::Unresolved) << seed;
    }
  }
  EXPECT_GT(single, 3000u) << "where each subset has a verdict, one element is left";
}

TEST(Isolate, ManyWorkersGiveTheSame) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Case c = caseOf(seed);
    Search one({}), many({.workers = 3});
    auto expected = isolate(one, testerOf(c.rule, std::make_shared<Asked>()), {}, allOf(c.size));
    auto asked = std::make_shared<Asked>();
    auto found = isolate(many, testerOf(c.rule, asked, seed % 4 == 0), {}, allOf(c.size));
    ASSERT_TRUE(expected && found);
    ASSERT_EQ(found->passing, expected->passing) << seed;
    ASSERT_EQ(found->failing, expected->failing) << seed;
    ASSERT_EQ(asked->twice, 0u);
  }
}

} // namespace
} // namespace faultline::technique
