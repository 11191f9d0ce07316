// Programs that mean harm. Nothing outside may change, nothing may be left behind, and the next run works.
#include "experiment/cell_tree.h"
#include "unit/experiment/built_program.h"

#include <algorithm>
#include <csignal>
#include <dirent.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace faultline::experiment {
namespace {

using testing::BuiltProgram;
using ::testing::ElementsAre;
using testing::valueOf;

const char* const kHarm = R"(
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
static int is(const char* a, const char* b) { return !strcmp(a, b); }
static void removeAll(const char* tree) {
  char command[1000];
  snprintf(command, sizeof command, "rm -rf %s/* %s/.??*; echo gone > %s/new", tree, tree, tree);
  if (system(command)) {}
}
static int tcp(const char* host, int port) {
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, host, &to.sin_addr);
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  return connect(fd, (struct sockaddr*)&to, sizeof to) == 0 ? 0 : errno;
}
static int named(const char* path, int abstract) {
  struct sockaddr_un to = {.sun_family = AF_UNIX};
  strcpy(to.sun_path + abstract, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  return connect(fd, (struct sockaddr*)&to, sizeof(sa_family_t) + abstract + strlen(path)) == 0 ? 0 : errno;
}
static void bomb(void) { signal(SIGTERM, SIG_IGN); for (;;) fork(); }
static void fillDisk(void) {
  static char block[1 << 20];
  memset(block, 7, sizeof block);
  signal(SIGXFSZ, SIG_IGN);
  for (int i = 0; i < 100; ++i) {
    char name[50];
    snprintf(name, sizeof name, "fill%d", i);
    int fd = open(name, O_CREAT | O_WRONLY, 0600);
    while (write(fd, block, sizeof block) > 0) {}
    close(fd);
  }
}
static void hideMemory(void) {
  static char block[1 << 20];
  memset(block, 7, sizeof block);
  for (;;) { int fd = memfd_create("x", 0); for (int i = 0; i < 7; ++i) if (write(fd, block, sizeof block) < 0) break; }
}
int main(int argc, char** argv) {
  const char* what = argv[1];
  const char* with = argc > 2 ? argv[2] : "";
  if (is(what, "remove")) removeAll(with);
  if (is(what, "connect")) return tcp(with, atoi(argv[3]));
  if (is(what, "named")) return named(with, 0);
  if (is(what, "abstract")) return named(with, 1);
  if (is(what, "kill")) {
    int other = atoi(with);
    kill(other, SIGKILL);
    kill(getppid(), SIGKILL);
    kill(1, SIGKILL);
    if (kill(other, 0) == 0) return 8; // this is no cell: do no harm
    kill(-1, SIGKILL);
    return 7;
  }
  if (is(what, "bomb")) bomb();
  if (is(what, "disk")) fillDisk();
  if (is(what, "one large")) { static char block[1 << 20]; int fd = open("large", O_CREAT | O_WRONLY, 0600); for (;;) write(fd, block, sizeof block); }
  if (is(what, "shared memory")) { char* m = mmap(0, 1ul << 30, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); memset(m, 1, 1ul << 30); }
  if (is(what, "hidden memory")) hideMemory();
  if (is(what, "daemon")) { if (fork() == 0) { setsid(); if (fork() == 0) { close(0); close(1); close(2); signal(SIGHUP, SIG_IGN); for (;;) { int fd = open(with, O_CREAT | O_WRONLY, 0600); close(fd); usleep(1000); } } _exit(0); } sleep(0); return 5; }
  if (is(what, "key")) return syscall(SYS_add_key, "user", "faultline-test", "x", 1, -3) >= 0 ? 0 : errno;
  if (is(what, "kernel")) {
    int fd = open("/proc/sys/kernel/hostname", O_WRONLY), sys = open("/sys/kernel/mm/ksm/run", O_WRONLY), trigger = open("/proc/sysrq-trigger", O_WRONLY);
    return (fd >= 0) + (sys >= 0) + (trigger >= 0) + (mount("x", "/mnt", "tmpfs", 0, 0) == 0) + (chroot("/tmp") == 0) + (sethostname("x", 1) == 0);
  }
  if (is(what, "escape")) { char b[100]; return open("/proc/1/root/etc", O_RDONLY) >= 0 || open("/proc/1/mem", O_RDWR) >= 0 || readlink("/proc/1/cwd", b, 100) >= 0; }
  if (is(what, "leave shm")) return shmget(42, 100, IPC_CREAT | 0600) < 0;
  if (is(what, "find shm")) return shmget(42, 100, 0600) >= 0;
  if (is(what, "devices")) {
    char b[8];
    int random = open("/dev/urandom", O_RDONLY), null = open("/dev/null", O_WRONLY), zero = open("/dev/zero", O_RDONLY);
    FILE* shm = fopen("/dev/shm/x", "w");
    int terminal = posix_openpt(O_RDWR);
    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) || open(ptsname(terminal), O_RDWR) < 0) return 2;
    return !(read(random, b, 8) == 8 && write(null, b, 8) == 8 && read(zero, b, 8) == 8 && shm && access("/proc/self/maps", R_OK) == 0);
  }
  if (is(what, "linger")) { fork(); if (fork() == 0) setsid(); signal(SIGHUP, SIG_IGN); signal(SIGTERM, SIG_IGN); for (;;) pause(); }
  if (is(what, "rights of devices")) { // those that they have: should it work, it is no harm
    const char* devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
    for (int k = 0; k < 5; k++)
      if (chmod(devices[k], 0666) == 0 || fchmod(open(devices[k], O_RDONLY), 0666) == 0 || errno != EROFS) return 2;
    return 0;
  }
  if (is(what, "disks")) return open(with, O_RDONLY) >= 0;
  return 0;
}
)";

std::string treeText(const std::string& root) {
  std::string text;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const auto& path : paths)
    text += path + (std::filesystem::is_regular_file(path) ? ": " + test::readFile(path) : "") + "\n";
  return text;
}

int count(const char* directory) {
  int n = 0;
  DIR* dir = opendir(directory);
  while (readdir(dir)) ++n;
  closedir(dir);
  return n;
}

// A process that only waits to be killed.
class Canary {
public:
  Canary() : pid_(fork()) {
    if (pid_ == 0)
      for (;;) pause();
  }
  ~Canary() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }
  bool isAlive() const { return waitpid(pid_, nullptr, WNOHANG) == 0; }

private:
  pid_t pid_;
};

class Contained : public ::testing::Test {
protected:
  static const BuiltProgram& program() {
    static BuiltProgram built(kHarm);
    return built;
  }
  void SetUp() override {
    test::writeFile(tree_ / "file", "precious");
    test::writeFile(tree_ / "folder/.hidden", "hidden");
    before_ = treeText(tree_.path());
    descriptors_ = count("/proc/self/fd");
    runner_.emplace(program().runner(
        {.seconds = 5, .memory = 300 << 20, .fileSize = 8 << 20, .processes = 20}, {.scratch = 32 << 20}));
  }
  void TearDown() override {
    EXPECT_EQ(run({"nothing"}).status(), 0) << "the next run works";
    runner_.reset();
    EXPECT_EQ(treeText(tree_.path()), before_);
    EXPECT_TRUE(canary_.isAlive());
    EXPECT_EQ(count("/proc/self/fd"), descriptors_);
    EXPECT_EQ(programsRunning(), 0);
  }
  Ending run(std::vector<std::string> args) const {
    RunSpec spec = program().spec(std::move(args));
    spec.argv[0] = mark();
    spec.cwd = tree_.path();
    return valueOf(runner_->run(spec));
  }
  // What the runs of this process are called, and no others.
  static std::string mark() {
    static const std::string mark = fmt::format("./program-{}", getpid());
    return mark;
  }
  // Of all processes on this machine.
  static int programsRunning() {
    int n = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::string words;
      std::getline(std::ifstream(entry.path() / "cmdline"), words, '\0');
      n += words == mark();
    }
    return n;
  }

  test::TempDir tree_;
  Canary canary_;
  std::string before_;
  int descriptors_ = 0;
  std::optional<FreshRunner> runner_;
};

TEST_F(Contained, RemovesItsTree) {
  EXPECT_EQ(run({"remove", tree_.path()}).status(), 0);
  EXPECT_EQ(run({"remove", program().dir().path()}).status(), 0) << "its own folder, the variant with it";
}

TEST_F(Contained, ForksWithoutEnd) {
  Ending ending = run({"bomb"});
  EXPECT_EQ(ending.cut, Ending::Containment);
  EXPECT_GT(ending.blocked, 0u);
}

TEST_F(Contained, FillsTheDisk) {
  Ending many = run({"disk"}), large = run({"one large"});
  EXPECT_EQ(many.cut, Ending::Containment);
  EXPECT_EQ(large.cut, Ending::Containment) << "a file larger than allowed";
  EXPECT_GT(large.blocked, 0u);
}

TEST_F(Contained, FillsTheMemory) {
  EXPECT_EQ(run({"shared memory"}).cut, Ending::Memory);
  EXPECT_EQ(run({"hidden memory"}).cut, Ending::Memory);
}

TEST_F(Contained, OpensSockets) {
  Ending ending = run({"connect", "93.184.216.34", "80"});
  EXPECT_EQ(ending.status(), ENETUNREACH);
  EXPECT_EQ(ending.blocked, 1u);
  EXPECT_EQ(run({"connect", "127.0.0.1", "22"}).status(), ECONNREFUSED) << "nobody listens in there";
}

TEST_F(Contained, CallsServersOfThisMachine) {
  std::string path = tree_ / "socket", name = "faultline-test-" + std::to_string(getpid());
  for (const std::string& place : {path, std::string(1, 0) + name}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::ranges::copy(place, address.sun_path);
    int server = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(
        bind(server, reinterpret_cast<sockaddr*>(&address), socklen_t(sizeof(sa_family_t) + place.size())),
        0);
    listen(server, 5);
    Ending ending = run({place[0] ? "named" : "abstract", place[0] ? path : name});
    EXPECT_EQ(ending.status(), ECONNREFUSED);
    close(server);
  }
  std::filesystem::remove(path);
}

// Whoever makes experiments may be killed at any moment.
TEST_F(Contained, OutlivesNobody) {
  EXPECT_EQ(mark(), fmt::format("./program-{}", getpid()));
  pid_t user = fork();
  if (user == 0) {
    FreshRunner runner = program().runner({.seconds = 1000});
    RunSpec spec = program().spec({"linger"});
    spec.argv[0] = mark();
    (void)runner.run(spec);
    _exit(0);
  }
  for (int i = 0; i < 500 && programsRunning() < 3; ++i) usleep(10'000);
  EXPECT_GE(programsRunning(), 3);
  kill(user, SIGKILL);
  waitpid(user, nullptr, 0);
  for (int i = 0; i < 500 && programsRunning() > 0; ++i) usleep(10'000);
  EXPECT_EQ(programsRunning(), 0);
}

TEST_F(Contained, KillsWhomItCan) {
  Ending ending = run({"kill", std::to_string(canary_.pid())});
  EXPECT_EQ(ending.status(), 7) << "kill(-1) spares the sender";
  EXPECT_EQ(ending.blocked, 5u);
}

TEST_F(Contained, LeavesADaemonBehind) {
  Ending ending = run({"daemon", tree_ / "alive"});
  EXPECT_EQ(ending.status(), 5);
  EXPECT_EQ(programsRunning(), 0);
}

TEST_F(Contained, TriesTheKernel) {
  EXPECT_EQ(run({"kernel"}).status(), 0);
  EXPECT_EQ(run({"escape"}).status(), 0);
  Ending key = run({"key"});
  EXPECT_EQ(key.status(), EPERM);
  EXPECT_EQ(key.blocked, 1u);
  for (const char* disk : {"/dev/vda", "/dev/sda", "/dev/mem"}) EXPECT_EQ(run({"disks", disk}).status(), 0);
}

TEST_F(Contained, LeavesNothingForTheNextRun) {
  EXPECT_EQ(run({"leave shm"}).status(), 0);
  EXPECT_EQ(run({"find shm"}).status(), 0);
}

TEST_F(Contained, FindsTheUsualDevices) { EXPECT_EQ(run({"devices"}).status(), 0); }

// They are the machine's own: a program that sets the rights of its files may have got hold of another.
TEST_F(Contained, LeavesTheRightsOfDevicesAlone) { EXPECT_EQ(run({"rights of devices"}).status(), 0); }

// Root is refused little by the kernel; most users are not root. The same again as one who is not.
TEST(Unprivileged, NothingIsDifferent) {
  if (geteuid() != 0) GTEST_SKIP() << "the other tests have shown it";
  test::TempDir home;
  chmod(home.path().c_str(), 0777);
  std::vector<std::string> asNobody = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"},
                           words = asNobody;
  std::string self = std::filesystem::read_symlink("/proc/self/exe");
  words.insert(words.end(), {"test", "-x", self});
  if (test::run(words).status != 0) GTEST_SKIP() << "the build is in a folder that others may not read";
  words = asNobody;
  words.insert(words.end(), {self, "--gtest_filter=Contained.*:FreshRun.*"});
  test::RunResult result = test::run(words, {.env = {{"HOME", home.path()}, {"TMPDIR", home.path()}}});
  EXPECT_EQ(result.status, 0) << result.out << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("Contained.FillsTheDisk"));
}

TEST(MountPoints, AreReadFromTheKernelsTable) {
  EXPECT_THAT(mountPoints("22 27 0:21 / /proc rw - proc proc rw\n"
                          "25 24 0:23 / /mnt/a\\040b rw,relatime shared:1 - tmpfs tmpfs rw\n"
                          "27 1 254:0 / / rw - ext4 /dev/vda rw\n"),
              ElementsAre("/", "/mnt/a b", "/proc"));
}

} // namespace
} // namespace faultline::experiment
