// What OutsideCalls makes of the calls of real programs, recorded and replayed.
#include "depend/outside_calls.h"

#include "depend/models.h"
#include "unit/depend/effect_text.h"
#include "unit/depend/recorded_program.h"

#include <gmock/gmock.h>

namespace faultline::depend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::RecordedProgram;

class Traced {
public:
  explicit Traced(replay::Replay replay, replay::Time from = 0) : calls(CallModels::standard()) {
    if (from) EXPECT_TRUE(replay.seek(from));
    replay::Tracer tracer(&calls);
    auto trace = replay.trace(tracer);
    EXPECT_TRUE(trace) << trace.error().message;
    if (!trace) return;
    for (const replay::TraceOther& other : trace->others)
      if (other.kind == replay::TraceOther::Outside) numbers.push_back(other.number);
  }
  // The n-th call of that function, in the order in which they were over.
  const OutsideEffect& of(std::string_view function, int n = 0) const {
    for (uint64_t number : numbers)
      if (number < calls.size() && calls[number].function == function && n-- == 0) return calls[number];
    ADD_FAILURE() << "no call of " << function;
    static const OutsideEffect none;
    return none;
  }
  OutsideCalls calls;
  std::vector<uint64_t> numbers;
};

std::string all(const OutsideEffect& effect) {
  std::string out;
  for (const std::string& flow : testing::texts(effect)) out += flow + "\n";
  return out;
}

TEST(OutsideCalls, FollowsTextThroughAProgram) {
  RecordedProgram program("a.c", R"(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  char line[64], word[64], out[64];
  long n = read(0, line, sizeof line - 1);
  line[n] = 0;
  int number;
  sscanf(line, "%d %s", &number, word);
  snprintf(out, sizeof out, "<%s:%d>", word, number);
  char* copy = strdup(out);
  copy = realloc(copy, 100);
  puts(copy);
  return strlen(copy) == 0;
})",
                          {.input = "42 seven\n"});
  EXPECT_THAT(program.recorded().out, HasSubstr("<seven:42>"));
  Traced run(program.open());
  EXPECT_THAT(all(run.of("read")), MatchesRegex("([0-9a-f]+)\\+9 <= i0\\+9\nr <- i0\\+9 a0 a2\n"));
  EXPECT_EQ(run.of("read").inputBytes, 9u);
  EXPECT_THAT(all(run.of("__isoc99_sscanf")),
              MatchesRegex("[0-9a-f]+\\+4 <- m[0-9a-f]+\\+3\n"
                           "[0-9a-f]+\\+5 <= m[0-9a-f]+\\+5\n[0-9a-f]+\\+1 <-\n"));
  EXPECT_THAT(
      all(run.of("snprintf")),
      MatchesRegex("[0-9a-f]+\\+1 <= m[0-9a-f]+\\+1\n[0-9a-f]+\\+5 <= m[0-9a-f]+\\+5\n"
                   "[0-9a-f]+\\+1 <= m[0-9a-f]+\\+1\n[0-9a-f]+\\+2 <- a4\n[0-9a-f]+\\+1 <= m[0-9a-f]+\\+1\n"
                   "[0-9a-f]+\\+1 <-\n"));
  EXPECT_THAT(all(run.of("strdup")), MatchesRegex("[0-9a-f]+\\+11 <= m[0-9a-f]+\\+11\nr <- w\n"));
  EXPECT_THAT(all(run.of("strlen")), MatchesRegex("r <- m[0-9a-f]+\\+11\n"));
  for (const char* name : {"read", "snprintf", "strdup", "realloc", "puts", "strlen"})
    EXPECT_TRUE(run.of(name).isModelled) << name;
}

TEST(OutsideCalls, CallbacksAndListsKeepTheirCallsApart) {
  RecordedProgram program("a.c", R"(
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
static char log_[64];
static void say(const char* format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(log_, sizeof log_, format, list);
  va_end(list);
}
static int compare(const void* a, const void* b) {
  char text[16];
  sprintf(text, "%d", *(const int*)a);
  return atoi(text) - *(const int*)b;
}
int main(void) {
  int v[] = {3, 1, 2};
  qsort(v, 3, sizeof *v, compare);
  say("%d%s", v[0], "x");
  return v[0] != 1;
})");
  Traced run(program.open());
  EXPECT_THAT(all(run.of("qsort")), MatchesRegex("[0-9a-f]+\\+12 <- m[0-9a-f]+\\+12\n"));
  EXPECT_THAT(all(run.of("sprintf")), MatchesRegex("[0-9a-f]+\\+1 <- a2\n[0-9a-f]+\\+1 <-\n"));
  EXPECT_THAT(all(run.of("atoi")), MatchesRegex("r <- m[0-9a-f]+\\+2\n"));
  EXPECT_THAT(all(run.of("vsnprintf")),
              MatchesRegex("[0-9a-f]+\\+1 <- f1a1\n[0-9a-f]+\\+1 <= m[0-9a-f]+\\+1\n[0-9a-f]+\\+1 <-\n"));
}

TEST(OutsideCalls, ACallThatBeganBeforeTheTrace) {
  RecordedProgram program("a.c", R"(
#include <stdlib.h>
#include <string.h>
static int calls;
static int compare(const void* a, const void* b) { ++calls; return *(const char*)a - *(const char*)b; }
int main(void) {
  char v[] = {3, 1, 2, 9, 7};
  qsort(v, 5, 1, compare);
  return v[0] != 1;
})");
  replay::Replay replay = program.open();
  ASSERT_TRUE(replay.runToEnd());
  replay::Time end = replay.now();
  Traced run(program.open(), end / 2);
  EXPECT_THAT(all(run.of("qsort")), MatchesRegex("[0-9a-f]+\\+5 <- m[0-9a-f]+\\+5\n"));
}

TEST(OutsideCalls, ThreadsAreNotMixedUp) {
  RecordedProgram program("a.c", R"(
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int ends[2];
static void* reader(void* p) {
  char buffer[8];
  long n = read(ends[0], buffer, sizeof buffer);
  return (void*)(n != 3 || buffer[0] != 'a');
}
int main(void) {
  pthread_t t;
  void* result;
  char text[8];
  if (pipe(ends)) return 2;
  pthread_create(&t, 0, reader, 0);
  for (int i = 0; i < 100; ++i) sprintf(text, "a%d", i);
  if (write(ends[1], "abc", 3) != 3) return 3;
  pthread_join(t, &result);
  return result != 0;
})",
                          {.flags = {"-pthread"}});
  EXPECT_EQ(program.recorded().status, 0) << program.recorded().err;
  Traced run(program.open());
  EXPECT_THAT(all(run.of("read")), MatchesRegex("[0-9a-f]+\\+3 <= i0\\+3\nr <- i0\\+3 a0 a2\n"));
  EXPECT_THAT(all(run.of("sprintf", 50)),
              MatchesRegex("[0-9a-f]+\\+1 <= m[0-9a-f]+\\+1\n[0-9a-f]+\\+2 <- a2\n[0-9a-f]+\\+1 <-\n"));
  EXPECT_TRUE(run.of("pthread_join").isModelled);
}

TEST(OutsideCalls, AFunctionWithoutAModelIsABlackBox) {
  RecordedProgram program("a.c", R"(
#include <search.h>
#include <string.h>
#include <stdlib.h>
int main(void) {
  char key[] = "some key";
  hcreate(8);
  ENTRY e = {key, 0};
  ENTRY* found = hsearch(e, ENTER);
  return strcmp(found->key, key);
})");
  Traced run(program.open());
  EXPECT_FALSE(run.of("hsearch").isModelled);
  EXPECT_THAT(all(run.of("hsearch")), HasSubstr("+9")) << "the key's bytes";
  EXPECT_THAT(all(run.of("hsearch")), HasSubstr("r <- a0 a1"));
}

// Follows what is wanted of memory back through the calls alone, as a dependence analysis would, and says
// whether it gets to that function's input.
bool leadsToInput(const Traced& run, std::string_view last, std::string_view input) {
  std::vector<std::pair<uint64_t, uint64_t>> wanted; // address, size
  bool isBehind = true, found = false;
  auto want = [&](const std::vector<FlowSource>& sources, bool takesInput) {
    for (const FlowSource& source : sources) {
      if (source.kind == FlowSource::Memory) wanted.push_back({source.address, source.size});
      found |= source.kind == FlowSource::Input && takesInput;
    }
  };
  for (size_t k = run.numbers.size(); k-- > 0;) {
    if (run.numbers[k] >= run.calls.size()) continue;
    const OutsideEffect& effect = run.calls[run.numbers[k]];
    if (isBehind && effect.function != last) continue;
    for (const OutsideFlow& flow : effect.flows) {
      bool isWanted = isBehind && flow.toResult;
      for (auto [address, size] : std::vector(wanted))
        isWanted |= !flow.toResult && flow.address < address + size && address < flow.address + flow.size;
      if (isWanted) want(flow.sources, effect.function == input);
    }
    isBehind = false;
  }
  return found;
}

TEST(OutsideCalls, StringsOfTheLibrary) {
  RecordedProgram program("a.cpp", R"(
#include <iostream>
#include <sstream>
#include <string>
int main() {
  std::string line, text = "<";
  std::getline(std::cin, line);
  text += line;
  text.push_back('>');
  text.append(40, '.');
  std::ostringstream out;
  out << text << 7;
  std::string all = out.str();
  int end = all.compare("<abc>");
  std::istringstream in(line);
  int number;
  in >> number;
  return number != 12 || end == 0;
})",
                          {.input = "12 words\n"});
  EXPECT_EQ(program.recorded().status, 0) << program.recorded().err;
  Traced run(program.open());
  const char* compare = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc";
  const char* getline =
      "_ZSt7getlineIcSt11char_traitsIcESaIcEERSt13basic_istreamIT_T0_ES7_RNSt7__cxx1112basic_"
      "stringIS4_S5_T1_EE";
  EXPECT_TRUE(leadsToInput(run, compare, getline)) << all(run.of(compare));
  EXPECT_THAT(all(run.of("_ZNSirsERi")), HasSubstr("+4 <- i0+1 m"));
  for (uint64_t number : run.numbers)
    if (number < run.calls.size()) EXPECT_TRUE(run.calls[number].isModelled) << run.calls[number].function;
}

} // namespace
} // namespace faultline::depend
