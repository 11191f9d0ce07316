// The commands as a user types them: right uses give the answer, wrong ones one clear line and a way out.
#include "support/run.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

const std::string kBin = FAULTLINE_BIN_DIR;

constexpr const char* kCrash = R"(#include <stdio.h>
struct item { int weight; struct item *next; };
static int total(const struct item *i, int n) {
  int sum = 0;
  while (n-- > 0) {
    sum += i->weight;
    i = i->next;
  }
  return sum;
}
int main(int argc, char **argv) {
  struct item last = {5, 0}, first = {argc, &last};
  printf("%d\n", total(&first, 2));
  printf("%d\n", total(&first, 2 + argc));
  return 0;
}
)";

class Commands : public ::testing::Test {
protected:
  RunResult faultline(std::vector<std::string> words, const std::string& input = "") {
    words.insert(words.begin(), kBin + "/faultline");
    return run(words, {.cwd = dir.path(), .env = environment(), .input = input});
  }
  std::map<std::string, std::string> environment() const {
    return {{"XDG_DATA_HOME", dir / "data"}, {"XDG_CACHE_HOME", dir / "cache"}, {"NO_COLOR", "1"}};
  }
  void build(const std::string& source, const std::string& name) {
    writeFile(dir / (name + ".c"), source);
    RunResult built = run({kBin + "/faultline-cc", "-g", name + ".c", "-o", name}, {.cwd = dir.path()});
    ASSERT_EQ(built.status, 0) << built.err;
  }
  void recordCrash() {
    build(kCrash, "crash");
    ASSERT_EQ(faultline({"record", "-q", "-o", "crash.flr", "--", "./crash"}).status, 0);
  }
  static size_t lines(const std::string& text) { return size_t(std::count(text.begin(), text.end(), '\n')); }

  TempDir dir;
};

TEST_F(Commands, ShowTellsWhereWhyAndWithWhatValues) {
  recordCrash();
  RunResult shown = faultline({"show", "crash.flr"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out,
              HasSubstr("Segmentation fault: read of 0x0 (i->weight, where i is NULL) in total()"));
  EXPECT_THAT(shown.out, HasSubstr("crash.c:6:15"));
  EXPECT_THAT(shown.out, ContainsRegex("#1 +main .*crash.c:14"));
  EXPECT_THAT(shown.out, ContainsRegex("sum = 6"));
}

TEST_F(Commands, FunctionPointersAreDeclaredAsInC) {
  build("#include <stdlib.h>\n"
        "static int add(int a, const char *b) { return a + *b; }\n"
        "int main(void) { int (*op)(int, const char *) = add; void (*none)(void) = 0;\n"
        "  int (*rest)(const char *, ...) = 0; abort(); return op(1, 0) + !none + !rest; }\n",
        "pointers");
  ASSERT_EQ(faultline({"record", "-q", "-o", "p.flr", "--", "./pointers"}).status, 0);
  RunResult shown = faultline({"show", "p.flr", "--json", "--frames", "all"});
  for (const char* type : {"int (*)(int, const char *)", "void (*)(void)", "int (*)(const char *, ...)"})
    EXPECT_THAT(shown.out, HasSubstr(type));
  EXPECT_THAT(shown.out, testing::Not(testing::EndsWith("\n\n")));
}

TEST_F(Commands, ShowAsADocument) {
  recordCrash();
  RunResult shown = faultline({"show", "--json", "crash.flr", "--print", "sum", "--print", "n"});
  ASSERT_EQ(shown.status, 0) << shown.err;
  json document = json::parse(shown.out);
  EXPECT_EQ(document["schema"], "faultline/1");
  EXPECT_EQ(document["failure"]["kind"], "crash");
  EXPECT_EQ(document["failure"]["place"]["line"], 6);
  EXPECT_EQ(document["failure"]["place"]["function"], "total");
}

TEST_F(Commands, ShowGoesBackInTime) {
  recordCrash();
  RunResult before = faultline({"show", "crash.flr", "--at", "@-40", "--json"});
  ASSERT_EQ(before.status, 0) << before.err;
  json document = json::parse(before.out);
  EXPECT_FALSE(document.contains("failure") && document["failure"].contains("signal"))
      << "nothing has failed yet";
  EXPECT_EQ(faultline({"show", "crash.flr", "--at", "nonsense"}).status, 1);
}

TEST_F(Commands, VerifyProvesTheReplay) {
  recordCrash();
  json document = json::parse(faultline({"verify", "--json", "crash.flr"}).out);
  EXPECT_EQ(document["exact"], true);
  EXPECT_GT(document["stats"]["instructions"], 50);
  EXPECT_GT(document["stats"]["pagesChecked"], 0);
}

TEST_F(Commands, TheLatestRecordingIsMeantIfNoneIsNamed) {
  build(kCrash, "crash");
  ASSERT_EQ(faultline({"record", "-q", "--", "./crash"}).status, 0);
  EXPECT_THAT(faultline({"list"}).out, HasSubstr("crash-1"));
  EXPECT_EQ(faultline({"verify"}).status, 0);
  EXPECT_EQ(faultline({"verify", "crash-1"}).status, 0);
}

TEST_F(Commands, AQuestionRecordsFirstIfGivenAProgram) {
  build(kCrash, "crash");
  EXPECT_THAT(faultline({"show", "--", "./crash"}).out, HasSubstr("Segmentation fault"));
}

TEST_F(Commands, TheProgramsOwnStatusCanBePassedOn) {
  build("int main(void) { return 7; }\n", "seven");
  EXPECT_EQ(faultline({"record", "-q", "--pass-status", "-o", "r.flr", "--", "./seven"}).status, 7);
}

TEST_F(Commands, StandardInputIsKept) {
  build("#include <stdio.h>\nint main(void) { int c, n = 0; while ((c = getchar()) != EOF) n += c; "
        "printf(\"%d\\n\", n); }\n",
        "sum");
  RunResult recorded = faultline({"record", "-q", "-o", "r.flr", "--", "./sum"}, "abc");
  EXPECT_EQ(recorded.out, "294\n");
  EXPECT_EQ(faultline({"verify", "r.flr"}).status, 0);
  EXPECT_EQ(json::parse(faultline({"info", "--json", "r.flr"}).out)["input"], "captured");
}

TEST_F(Commands, AHangIsEndedAndReplays) {
  build("volatile int stop;\nint main(void) { long n = 0; while (!stop) n++; return (int)n; }\n", "hang");
  ASSERT_EQ(faultline({"record", "-q", "--timeout", "0.3", "-o", "r.flr", "--", "./hang"}).status, 0);
  EXPECT_EQ(json::parse(faultline({"info", "--json", "r.flr"}).out)["end"]["timedOut"], true);
  RunResult verified = faultline({"verify", "r.flr"});
  EXPECT_EQ(verified.status, 0) << verified.out;
  EXPECT_THAT(faultline({"show", "r.flr"}).out, HasSubstr("hang.c:2"));
}

TEST_F(Commands, ARebuiltProgramIsToldFromTheRecordedOne) {
  recordCrash();
  std::string other = kCrash;
  other.replace(other.find("sum = 0"), 7, "sum = 1");
  build(other, "crash");
  fs::remove_all(dir / "cache");
  RunResult refused = faultline({"verify", "crash.flr"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("built anew since this recording was made"));
}

TEST_F(Commands, AMovedCacheIsMadeAnew) {
  recordCrash();
  fs::remove_all(dir / "cache");
  EXPECT_EQ(faultline({"verify", "crash.flr"}).status, 0);
}

TEST_F(Commands, ACutOffRecordingIsReadAsFarAsItGoes) {
  recordCrash();
  fs::resize_file(dir / "crash.flr", fs::file_size(dir / "crash.flr") - 40);
  RunResult info = faultline({"info", "crash.flr"});
  EXPECT_EQ(info.status, 0) << info.err;
  EXPECT_THAT(info.out, HasSubstr("caveat"));
}

struct WrongUse {
  std::vector<std::string> words;
  std::string says;
};

TEST_F(Commands, WrongUsesGetOneLineAndStatusOne) {
  writeFile(dir / "plain.c", "int main(void) { return 0; }\n");
  ASSERT_EQ(run({"clang-19", "plain.c", "-o", "plain"}, {.cwd = dir.path()}).status, 0);
  writeFile(dir / "text.flr", "this is no recording\n");
  writeFile(dir / "short.flr", std::string("FLTREC\0\1", 8));
  const WrongUse uses[] = {
      {{"record", "--", "./missing"}, "no such program"},
      {{"record", "--", "./plain"}, "carries no Faultline IR"},
      {{"record"}, "no program"},
      {{"show", "text.flr"}, "neither a recording nor a program"},
      {{"info", "short.flr"}, "short.flr"},
      {{"verify"}, "nothing has been recorded yet"},
      {{"record", "--limit", "many", "--", "./plain"}, ""},
      {{"cache", "--limit", "many"}, "is no size"},
      {{"show", "missing.flr"}, "no such recording"},
      {{"show", "."}, "is a folder"},
      {{"record", "--", "./."}, "is a folder"},
      {{"expalin"}, "no subcommand; did you mean explain?"},
      {{"frobnicate"}, "frobnicate is no subcommand; faultline --help"},
      {{"explain", "--expct", "x", "--", "./plain", "0"},
       "there is no option --expct; did you mean --expect?"},
      {{"explain", "--frobnicate=x", "--", "./plain"}, "there is no option --frobnicate; --help"},
      {{"explain", "--expect-status", "x", "--", "./plain"}, "--expect-status"},
  };
  for (const WrongUse& use : uses) {
    RunResult r = faultline(use.words);
    EXPECT_EQ(r.status, 1) << use.words[0] << ": " << r.out;
    EXPECT_THAT(r.err, HasSubstr(use.says));
    EXPECT_EQ(lines(r.err), 1u) << r.err;
    EXPECT_EQ(r.out, "");
  }
}

// LLVM and the solvers take longer to load than most commands take.
TEST_F(Commands, NothingIsLoadedThatMostCommandsDoNotNeed) {
  for (const char* command : {"/faultline", "/faultline-cc"}) {
    RunResult loaded = run({kBin + command}, {.env = {{"LD_TRACE_LOADED_OBJECTS", "1"}}});
    EXPECT_THAT(loaded.out, HasSubstr("libc.so"));
    for (const char* library : {"libLLVM", "libz3", "libcvc5"})
      EXPECT_THAT(loaded.out, Not(HasSubstr(library))) << command;
  }
}

TEST_F(Commands, APartThatIsNotInstalledIsNamedInOneLine) {
  recordCrash();
  fs::create_directories(dir / "moved/bin");
  fs::create_directories(dir / "moved/lib");
  fs::copy_file(kBin + "/faultline", dir / "moved/bin/faultline");
  auto moved = [&](std::vector<std::string> words) {
    words.insert(words.begin(), dir / "moved/bin/faultline");
    return run(words, {.cwd = dir.path(), .env = environment()});
  };
  auto isSaid = [&](const RunResult& r, const std::string& library) {
    EXPECT_EQ(r.status, 1) << r.out;
    EXPECT_THAT(r.err,
                HasSubstr(library + " is not beside " + (dir / "moved/bin") + ": install Faultline again"));
    EXPECT_EQ(lines(r.err), 1u) << r.err;
  };
  EXPECT_EQ(moved({"--version"}).status, 0);
  EXPECT_EQ(moved({"show", "crash.flr"}).status, 0);
  isSaid(moved({"causes", "-q", "crash.flr"}), "libfaultline_solvers.so");
  isSaid(moved({"record", "-q", "--", "./crash"}), "libfaultline_ir.so");
}

TEST_F(Commands, TheNextWordAfterAnExpressionIsTheRecording) {
  recordCrash();
  build("int main(void) { return 0; }", "other");
  ASSERT_EQ(faultline({"record", "-q", "--", "./other"}).status, 0); // the latest one
  RunResult shown = faultline({"show", "--print", "i", "-p", "n", "crash.flr"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("i = NULL"));
  RunResult two = faultline({"show", "crash.flr", "crash.flr"});
  EXPECT_EQ(two.status, 1);
  EXPECT_THAT(two.err, HasSubstr("one recording at a time"));
}

TEST_F(Commands, EveryWordReachesTheProgramAsItIs) {
  build("#include <stdio.h>\nint main(int c, char **v) { while (*++v) printf(\"<%s>\", *v); return 0; }",
        "words");
  std::vector<std::string> given = {"[a-z]", "[]",  "[",       "",       "{}", "{a}", "%%",
                                    "a,b",   "'a'", "\"a b\"", "--json", "-q", "=",   "--x=[1]",
                                    "\\n",   "#",   "--",      "--",     "-",  "true"};
  std::string expected;
  std::vector<std::string> command = {"record", "-q", "-o", "words.flr", "--", "./words"};
  for (const std::string& word : given) {
    expected += "<" + word + ">";
    command.push_back(word);
  }
  EXPECT_EQ(faultline(command).out, expected);
  RunResult built = faultline({"build", "--", "printf", "<%s>", "[a-z]", "", "--"});
  EXPECT_EQ(built.out, "<[a-z]><><-->");
}

TEST_F(Commands, AClosedStandardStreamStaysClosedAndIsNotTheRecording) {
  build("#include <unistd.h>\n#include <fcntl.h>\n"
        "int main(void) { int s = 0; for (int k = 0; k < 3; ++k) s = s * 2 + (fcntl(k, F_GETFD) == -1);\n"
        "  return write(1, \"x\", 1) == -1 ? s : 99; }",
        "closed");
  for (auto [streams, status] : {std::pair("<&- >&- 2>&-", 7), std::pair(">&-", 2)}) {
    RunResult r =
        run({"/bin/sh", "-c", kBin + "/faultline record --pass-status -o closed.flr -- ./closed " + streams},
            {.cwd = dir.path(), .env = environment(), .timeout = std::chrono::seconds(60)});
    EXPECT_EQ(r.status, status) << streams;
    EXPECT_EQ(faultline({"verify", "closed.flr"}).status, 0) << streams;
  }
}

TEST_F(Commands, WhatTheDiskHadNoRoomForIsNotGuessed) {
  build("#include <stdio.h>\n#include <stdlib.h>\n"
        "int main(void) { FILE *f = fopen(\"/dev/urandom\", \"r\"); unsigned char b[4096]; unsigned s = 0;\n"
        "  for (int i = 0; i < 100; i++) { if (fread(b, 1, sizeof b, f) != sizeof b) return 1;\n"
        "    for (int k = 0; k < 4096; k++) s += b[k]; }\n"
        "  return *(volatile int *)(s == 1); }",
        "noise");
  ASSERT_EQ(faultline({"record", "-q", "--limit", "64K", "-o", "noise.flr", "--", "./noise"}).status, 0);
  RunResult shown = faultline({"show", "noise.flr"});
  EXPECT_THAT(shown.out, HasSubstr("Segmentation fault, "));
  EXPECT_THAT(shown.out, HasSubstr("recording"));
  EXPECT_THAT(shown.out, ::testing::Not(HasSubstr("not built with Faultline")));
  EXPECT_THAT(shown.out, HasSubstr("size limit"));
}

TEST_F(Commands, AProgramWhoseRecorderWasKilledEndsToo) {
  build("#include <stdio.h>\n#include <unistd.h>\n"
        "int main(void) { FILE *f = fopen(\"pid\", \"w\"); fprintf(f, \"%d\", getpid()); fclose(f);\n"
        "  for (volatile long n = 0;; ) n++; }",
        "endless");
  RunResult r = run(
      {"/bin/sh", "-c",
       kBin + "/faultline record -q -o e.flr -- ./endless & me=$!\n"
              "until test -s pid; do sleep 0.05; done; kill -KILL $me; wait $me\n"
              // Dead, though nobody may have taken notice of it yet, is ended too.
              "for k in $(seq 50); do grep -q '^State:.[^Z]' /proc/$(cat pid)/status || exit 0; sleep 0.2; "
              "done\n"
              "kill -KILL $(cat pid); exit 1"},
      {.cwd = dir.path(), .env = environment()});
  EXPECT_EQ(r.status, 0) << "it still runs";
}

TEST_F(Commands, AFailedRecordingLeavesNothingBehind) {
  build(kCrash, "crash");
  fs::create_directory(dir / "only");
  EXPECT_EQ(faultline({"record", "-o", "no/such/folder/r.flr", "--", "./crash"}).status, 1);
  EXPECT_EQ(faultline({"record", "-o", "only/r.flr", "--", "./missing"}).status, 1);
  RunResult folder = faultline({"record", "-o", "only", "--", "./crash"});
  EXPECT_EQ(folder.status, 1);
  EXPECT_EQ(folder.out, "") << "the program is not run";
  EXPECT_TRUE(fs::is_empty(dir / "only"));
}

TEST_F(Commands, TheCacheCanBeListedAndCleaned) {
  recordCrash();
  json cache = json::parse(faultline({"cache", "--json"}).out);
  ASSERT_EQ(cache["variants"].size(), 1u);
  EXPECT_EQ(cache["variants"][0]["program"], fs::canonical(dir / "crash").string());
  EXPECT_GT(json::parse(faultline({"cache", "--clean", "--json"}).out)["removed"], 0);
  EXPECT_EQ(json::parse(faultline({"cache", "--json"}).out)["variants"].size(), 0u);
}

TEST_F(Commands, DoctorFindsThisMachineReady) {
  RunResult doctor = faultline({"doctor", "--json"});
  EXPECT_EQ(doctor.status, 0) << doctor.out;
  EXPECT_EQ(json::parse(doctor.out)["ready"], true);
}

// Where the kernel allows no name spaces, recording and replay work all the same.
TEST_F(Commands, DoctorSaysWhatContainmentLacks) {
  std::vector<std::string> words = {"unshare", "--map-root-user", "/bin/sh", "-c"};
  const std::string forbid = "echo 0 > /proc/sys/user/max_user_namespaces";
  words.push_back(forbid);
  if (run(words).status != 0) GTEST_SKIP() << "no name space here in which to forbid name spaces";
  words.back() = forbid + " && exec " FAULTLINE_BIN_DIR "/faultline doctor --json";
  RunResult doctor = run(words);
  EXPECT_EQ(doctor.status, 0) << doctor.out << doctor.err;
  auto checks = json::parse(doctor.out)["checks"];
  auto found =
      std::find_if(checks.begin(), checks.end(), [](const json& c) { return c["name"] == "containment"; });
  ASSERT_NE(found, checks.end());
  EXPECT_EQ((*found)["ok"], false);
  EXPECT_THAT((*found)["detail"].get<std::string>(), HasSubstr("sysctl user.max_user_namespaces"));
  EXPECT_THAT((*found)["detail"].get<std::string>(), HasSubstr("--uncontained"));
}

json checkNamed(const std::string& name, const std::string& doctor) {
  json answer = json::parse(doctor);
  for (const json& check : answer["checks"])
    if (check["name"] == name) return check;
  return {};
}

// Both are said on one machine: a filter refuses what an older kernel would not have.
TEST_F(Commands, DoctorSaysWhichWayExperimentsGo) {
  json check = checkNamed("experiments", faultline({"doctor", "--json"}).out);
  EXPECT_EQ(check["needed"], false);
  EXPECT_THAT(check["detail"].get<std::string>(),
              ContainsRegex(check["ok"] ? "go back within one process" : "forked off|a process of its own"));
  std::string file = dir / "doctor.json";
  pid_t child = fork();
  if (child == 0) {
    sock_filter refuse[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_userfaultfd, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    sock_fprog filter = {4, refuse};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) _exit(77);
    execl(FAULTLINE_BIN_DIR "/faultline", "faultline", "doctor", "--json", "-o", file.c_str(), nullptr);
    _exit(99);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no filters of system calls here";
  EXPECT_EQ(status, 0) << "it is ready all the same";
  check = checkNamed("experiments", readFile(file));
  EXPECT_EQ(check["ok"], false);
  EXPECT_THAT(check["detail"].get<std::string>(), HasSubstr("forked off"));
  EXPECT_THAT(check["detail"].get<std::string>(), HasSubstr("userfaultfd"));
}

TEST_F(Commands, HelpNamesEverySubcommand) {
  RunResult help = faultline({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const char* name : {"record", "show", "verify", "info", "list", "build", "cache", "doctor"})
    EXPECT_THAT(help.out, HasSubstr(name));
  EXPECT_EQ(faultline({}).status, 1);
  EXPECT_EQ(faultline({"nonsense"}).status, 1);
}

} // namespace
} // namespace faultline::test
