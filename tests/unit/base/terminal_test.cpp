#include "base/terminal.h"

#include "support/environment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace faultline {
namespace {

using test::ScopedVariable;

// A pseudo-terminal of 120 columns: a terminal as far as anybody can tell.
class PseudoTerminal : public testing::Test {
protected:
  void SetUp() override {
    master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0)
      GTEST_SKIP() << "no pseudo-terminals here";
    fd = open(ptsname(master), O_RDWR | O_NOCTTY);
    ASSERT_GE(fd, 0);
    winsize size{.ws_row = 24, .ws_col = 120, .ws_xpixel = 0, .ws_ypixel = 0};
    ioctl(fd, TIOCSWINSZ, &size);
  }
  void TearDown() override {
    if (fd >= 0) close(fd);
    if (master >= 0) close(master);
  }

  ScopedVariable term{"TERM", "xterm"};
  ScopedVariable noColor{"NO_COLOR", std::nullopt};
  int master = -1, fd = -1;
};

TEST_F(PseudoTerminal, IsInteractiveColouredAndAsWideAsItIs) {
  Terminal terminal = Terminal::of(fd);
  EXPECT_TRUE(terminal.interactive);
  EXPECT_TRUE(terminal.color);
  EXPECT_EQ(terminal.width, 120);
  EXPECT_EQ(terminal.paint(Style::Red, "x"), "\x1b[31mx\x1b[0m");
}

TEST_F(PseudoTerminal, HonoursNoColorAndTheChoice) {
  ScopedVariable variable("NO_COLOR", "1");
  EXPECT_FALSE(Terminal::of(fd).color);
  EXPECT_TRUE(Terminal::of(fd, ColorChoice::Always).color);
  EXPECT_FALSE(Terminal::of(fd, ColorChoice::Never).color);
}

TEST_F(PseudoTerminal, ADumbOneIsNotRedrawn) {
  ScopedVariable variable("TERM", "dumb");
  EXPECT_FALSE(Terminal::of(fd).interactive);
  EXPECT_FALSE(Terminal::of(fd).color);
}

TEST(Terminal, AFileIsPlainUnlessColourIsAskedFor) {
  int fd = open("/dev/null", O_WRONLY);
  EXPECT_FALSE(Terminal::of(fd).interactive);
  EXPECT_EQ(Terminal::of(fd).paint(Style::Bold, "x"), "x");
  EXPECT_TRUE(Terminal::of(fd, ColorChoice::Always).color);
  close(fd);
}

} // namespace
} // namespace faultline
