#include "base/progress.h"

#include <gtest/gtest.h>
#include <thread>

namespace faultline {
namespace {

using namespace std::chrono_literals;

constexpr Terminal watched{.interactive = true, .color = false, .width = 80};
constexpr Terminal unwatched{};

// What a stream received.
class Capture {
public:
  Capture() : stream(open_memstream(&data_, &size_)) {}
  ~Capture() {
    fclose(stream);
    free(data_);
  }
  std::string text() {
    fflush(stream);
    return {data_, size_};
  }
  std::FILE* stream = nullptr;

private:
  char* data_ = nullptr;
  size_t size_ = 0;
};

std::string drawnAfter(std::chrono::milliseconds work, Terminal terminal, Verbosity verbosity) {
  Capture capture;
  Log log(capture.stream, terminal, verbosity);
  {
    Progress progress(log, "working", 100, capture.stream);
    std::this_thread::sleep_for(work);
    progress.advance();
  }
  return capture.text();
}

TEST(ProgressLine, SaysDoneRateAndTimeLeft) {
  EXPECT_EQ(progressLine("replaying", 12'500'000, 50'000'000, 2s, 80),
            "replaying  12,500,000/50,000,000  25%  6,250,000/s  6.0 s left");
  EXPECT_EQ(progressLine("reading", 500, 0, 1s, 80), "reading  500  500/s");
  EXPECT_EQ(progressLine("reading", 500, 0, 1s, 10), "reading  5");
}

TEST(Progress, ShortWorkShowsNothing) { EXPECT_EQ(drawnAfter(0ms, watched, Verbosity::Normal), ""); }

TEST(Progress, LongWorkShowsALineAndTakesItAway) {
  std::string text = drawnAfter(1050ms, watched, Verbosity::Normal);
  EXPECT_NE(text.find("working  1/100  1%"), std::string::npos) << text;
  EXPECT_TRUE(text.ends_with("\r\x1b[K"));
}

TEST(Progress, IsSilentWhenQuietOrUnwatched) {
  EXPECT_EQ(drawnAfter(1050ms, watched, Verbosity::Quiet), "");
  EXPECT_EQ(drawnAfter(1050ms, unwatched, Verbosity::Normal), "");
}

TEST(StatusLine, ShowsAtOnceWhatFitsAndTakesItAway) {
  Capture capture;
  Log log(capture.stream, {.interactive = true, .color = false, .width = 8}, Verbosity::Normal);
  StatusLine status(log, capture.stream);
  status.show("short");
  EXPECT_EQ(capture.text(), "\r\x1b[Kshort");
  status.show("longer \xc3\xa4"); // the letter of two bytes does not fit
  EXPECT_EQ(capture.text(), "\r\x1b[Kshort\r\x1b[Klonger ");
  status.clear();
  status.clear();
  EXPECT_EQ(capture.text(), "\r\x1b[Kshort\r\x1b[Klonger \r\x1b[K");
}

TEST(StatusLine, IsSilentWhenQuietOrUnwatched) {
  Capture capture;
  Log quiet(capture.stream, watched, Verbosity::Quiet), alone(capture.stream, unwatched, Verbosity::Normal);
  StatusLine(quiet, capture.stream).show("a");
  StatusLine(alone, capture.stream).show("a");
  EXPECT_EQ(capture.text(), "");
}

TEST(Log, QuietKeepsWarningsOnly) {
  Capture capture;
  Log log(capture.stream, unwatched, Verbosity::Quiet);
  log.note("note {}", 1);
  log.detail("detail {}", 2);
  log.warn("warning {}", 3);
  EXPECT_EQ(capture.text(), "warning: warning 3\n");
}

TEST(Log, DetailsNeedVerbose) {
  Capture normal, verbose;
  Log(normal.stream, unwatched, Verbosity::Normal).detail("more");
  Log(verbose.stream, unwatched, Verbosity::Verbose).detail("more");
  EXPECT_EQ(normal.text(), "");
  EXPECT_EQ(verbose.text(), "more\n");
}

} // namespace
} // namespace faultline
