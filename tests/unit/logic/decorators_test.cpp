// What is put around a solver: a cache, counts, limits, a second opinion, a log.
#include "logic/cached_solver.h"
#include "logic/counted_solver.h"
#include "logic/limited_solver.h"
#include "logic/logged_solver.h"
#include "logic/validated_solver.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <thread>
#include <z3++.h>

using namespace faultline;
using namespace faultline::logic;

namespace {

// Answers what it was told to, and remembers what it was asked.
struct Told : Solver {
  Answer answer;
  std::vector<std::vector<Term>> asked;
  std::vector<uint32_t> limits;
  int sleep = 0;
  explicit Told(Answer a) : answer(std::move(a)) {}
  std::string name() const override { return "told"; }
  Answer check(const Request& r) override {
    asked.emplace_back(r.conditions.begin(), r.conditions.end());
    limits.push_back(r.milliseconds);
    std::this_thread::sleep_for(std::chrono::milliseconds(sleep));
    return answer;
  }
};

struct Decorators : ::testing::Test {
  Terms t;
  Term x = t.variable(32, 1);
  Term low = t.binary(Kind::ULess, x, t.bits(32, 5)), high = t.binary(Kind::ULess, t.bits(32, 9), x),
       odd = t.extract(x, 0, 1);
};

TEST_F(Decorators, CacheKnowsASetInAnyOrder) {
  SolverCounts counts;
  auto solver = makeCached(makeCounted(std::move(*makeZ3(t)), counts));
  std::vector<Term> one = {low, odd, high}, other = {high, low, odd};
  EXPECT_EQ(solver->check({one, false, 5000}).core, (std::vector<uint32_t>{0, 2}));
  EXPECT_EQ(solver->check({other, false, 5000}).core, (std::vector<uint32_t>{0, 1}))
      << "numbers of this request";
  EXPECT_EQ(counts.requests(), 1u);
  std::vector<Term> fine = {low, odd};
  EXPECT_EQ(solver->check({fine, false, 5000}).kind, Answer::Satisfiable);
  EXPECT_FALSE(solver->check({fine, true, 5000}).model.empty()) << "a model was not asked for before";
  EXPECT_FALSE(solver->check({fine, true, 5000}).model.empty());
  EXPECT_EQ(counts.requests(), 3u);
  EXPECT_EQ(counts.satisfiable, 2u);
  EXPECT_EQ(counts.unsatisfiable, 1u);
}

TEST_F(Decorators, CacheAsksAgainWithMoreTime) {
  auto told = std::make_unique<Told>(Answer{Answer::Unknown, {}, {}, "timeout"});
  Told& inner = *told;
  auto solver = makeCached(std::move(told));
  std::vector<Term> one = {low};
  for (uint32_t ms : {100u, 100u, 50u, 200u}) solver->check({one, false, ms});
  EXPECT_EQ(inner.limits, (std::vector<uint32_t>{100, 200}));
}

TEST_F(Decorators, LimitIsForAllRequests) {
  auto told = std::make_unique<Told>(Answer{Answer::Satisfiable, {}, {}, {}});
  Told& inner = *told;
  inner.sleep = 30;
  auto solver = makeLimited(std::move(told), 50);
  std::vector<Term> one = {low};
  EXPECT_EQ(solver->check({one, false, 1000}).kind, Answer::Satisfiable);
  EXPECT_EQ(inner.limits[0], 50u);
  solver->check({one, false, 1000});
  Answer late = solver->check({one, false, 1000});
  EXPECT_EQ(late.kind, Answer::Unknown);
  EXPECT_EQ(late.reason, "the time for all questions is used up");
  EXPECT_EQ(inner.asked.size(), 2u);
}

TEST_F(Decorators, WrongModelsAreFound) {
  Answer wrong{Answer::Satisfiable, {}, {{x, t.bits(32, 7)}}, {}};
  auto solver = makeValidated(t, std::make_unique<Told>(wrong), nullptr);
  std::vector<Term> one = {low};
  Answer answer = solver->check({one, false, 1000});
  EXPECT_EQ(answer.kind, Answer::Unknown);
  EXPECT_THAT(answer.reason, ::testing::HasSubstr("do not hold"));
  Answer right{Answer::Satisfiable, {}, {{x, t.bits(32, 4)}}, {}};
  EXPECT_EQ(makeValidated(t, std::make_unique<Told>(right), nullptr)->check({one, false, 1000}).kind,
            Answer::Satisfiable);
}

TEST_F(Decorators, WrongCoresAreFound) {
  std::vector<Term> conditions = {low, high, odd};
  auto with = [&](std::vector<uint32_t> core) {
    Answer a{Answer::Unsatisfiable, std::move(core), {}, {}};
    return makeValidated(t, std::make_unique<Told>(a), std::move(*makeCvc5(t)))
        ->check({conditions, false, 5000});
  };
  EXPECT_EQ(with({0, 1}).kind, Answer::Unsatisfiable);
  EXPECT_EQ(with({0, 2}).reason, "told and cvc5 contradict each other");
}

TEST_F(Decorators, LogIsSmtLib) {
  std::string folder = (std::filesystem::temp_directory_path() / "faultline_log_XXXXXX").string();
  ASSERT_TRUE(mkdtemp(folder.data()));
  auto solver = makeLogged(t, std::move(*makeZ3(t)), folder);
  Term f = t.variable(64, 8), wide = t.variable(100, 9);
  Term half = t.binary(Kind::FMul, f, t.bits(64, 0x3fe0000000000000)); // f * 0.5
  std::vector<Term> conditions = {
      low,
      odd,
      t.binary(Kind::FLess, half, f),
      t.equal(t.unary(Kind::FToSigned, half, 32), t.bits(32, 21)),
      t.equal(t.extract(t.binary(Kind::SDiv, wide, t.bits(100, 7)), 3, 50), t.bits(50, 3)),
      t.negate(t.equal(t.binary(Kind::AShr, x, x), t.bits(32, 3)))};
  solver->check({conditions, false, 20000});
  conditions.push_back(high);
  solver->check({conditions, false, 20000});
  auto ask = [&](const std::string& name) {
    z3::context c;
    z3::solver s(c);
    s.from_file((folder + "/" + name).c_str());
    return s.check();
  };
  EXPECT_EQ(ask("0001.smt2"), z3::sat);
  EXPECT_EQ(ask("0002.smt2"), z3::unsat);
  std::ifstream in(folder + "/0002.smt2");
  std::string all{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(all, ::testing::HasSubstr("; z3: unsat"));
  std::filesystem::remove_all(folder);
}

} // namespace
