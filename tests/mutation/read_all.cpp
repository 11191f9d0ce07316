#include "mutation/read_all.h"

#include "base/text.h"
#include "finding/describe_stop.h"
#include "finding/document.h"
#include "program/embedded_reader.h"
#include "recording/log_reader.h"
#include "recording/reader.h"
#include "replay/replay.h"
#include "replay/validate.h"
#include "report/terminal.h"

#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>

namespace faultline::test {

using recording::LogReader;
using recording::Recording;

MemoryFile::MemoryFile(const Bytes& bytes) : fd_(memfd_create("mutant", MFD_CLOEXEC)) {
  size_t done = 0;
  while (fd_ >= 0 && done < bytes.size()) {
    ssize_t n = write(fd_, bytes.data() + done, bytes.size() - done);
    if (n <= 0) break;
    done += size_t(n);
  }
  if (fd_ < 0 || done < bytes.size()) throw std::runtime_error("cannot make a file in memory");
  path_ = fmt::format("/proc/self/fd/{}", fd_);
}
MemoryFile::~MemoryFile() { close(fd_); }

namespace {

std::string problemOf(const Error& error) {
  if (error.message.empty()) return "an error without a message";
  if (error.message.find('\n') != std::string::npos) return "an error of several lines: " + error.message;
  if (error.message.size() > 2000) return "an error that is a page long: " + error.message;
  return {};
}

class RecordingReader {
public:
  RecordingReader(const Recording& recording, const std::vector<fir::Image>& images, const ReadLimits& limits)
      : recording_(recording), images_(images), limits_(limits) {}

  std::string run() {
    describe();
    walkLog();
    replayAll();
    return problem_;
  }

private:
  template <class T> bool ok(const Result<T>& result) {
    if (result) return true;
    if (problem_.empty()) problem_ = problemOf(result.error());
    return false;
  }

  // info, list
  void describe() {
    const recording::Meta& meta = recording_.meta();
    finding::RecordingInfo info;
    info.program = {meta.program, meta.argv, meta.cwd};
    info.caveats = recording_.caveats();
    if (recording_.end()) info.seconds = recording_.end()->seconds, info.epochs = recording_.end()->epoch;
    (void)finding::printed(finding::toJson(finding::toDocument(info)));
    (void)shellCommand(meta.argv);
    (void)humanDuration(info.seconds);
    (void)humanSize(recording_.logRawBytes());
    ok(recording_.input());
    ok(recording_.output(1));
    if (auto captured = recording_.output(2); ok(captured)) standardError_ = std::move(*captured);
  }

  void walkLog() {
    auto log = LogReader::open(recording_.log());
    if (!ok(log)) return;
    uint64_t read = 0, sum = 0;
    LogReader::Position middle;
    for (; const recording::Record* r = log->peek(); log->pop()) {
      if (++read == 100) middle = log->position();
      bool words = r->tag >= FL_LOG_ENTER;
      for (uint64_t k = 0; r->bytes && k < r->size && k < 4096 && (words || r->tag == FL_LOG_EFFECT); ++k)
        sum += words ? r->word(k) : r->bytes[k];
      sum += uint64_t(recording::tagName(r->tag)[0]);
    }
    checksum_ = sum;
    if (read >= 100) ok(log->seek(middle));
    for (uint64_t epoch : {uint64_t(0), recording_.lastEpoch() / 2, ~uint64_t(0)}) ok(log->seekEpoch(epoch));
  }

  replay::ReplayOptions options() const {
    replay::ReplayOptions options;
    options.memoryLimit = limits_.memory;
    options.stackWordsLimit = limits_.stackWords;
    options.maxSteps = limits_.steps;
    options.checkpointInterval = 1000;
    options.checkpointCount = 8;
    options.endEpoch = recording_.lastEpoch();
    options.start = recording_.start();
    return options;
  }

  // verify, then show
  void replayAll() {
    auto log = LogReader::open(recording_.log());
    if (images_.empty() || !log) return;
    auto replay = replay::Replay::open(images_, std::move(*log), options());
    if (!ok(replay)) return;
    auto report = replay->verify();
    ok(report);
    uint64_t end = replay->engine().steps();
    uint64_t longest = replay->program().longestFunction();
    // Within an epoch no instruction runs twice, and none is longer than the longest function; a call in it
    // begins the next. What a log can make happen again without an epoch is a fault at an instruction.
    uint64_t epochs = std::min(recording_.lastEpoch(), limits_.steps) + 2;
    if (end - replay->start() > epochs * (longest + 2) + recording_.logRawBytes() && problem_.empty())
      problem_ = fmt::format("{} instructions in {} epochs", end, epochs);
    show(*replay);
    if (!limits_.thorough) return;
    ok(replay->seek(replay->start() / 2 + end / 2));
    show(*replay);
    ok(replay->stepBack());
    ok(replay->stepForward());
    ok(replay->seek(replay->start()));
    replay::Observer observer;
    ok(replay->observe(observer, std::min<uint64_t>(end, replay->start() + 20000)));
    ok(replay->seek(replay->start()));
    ok(replay->runToInstance(replay->current().epoch + 3, 5));
    ok(replay->runToEnd());
  }

  void show(replay::Replay& replay) {
    finding::StopQuestion question;
    question.program = {"p", {"p"}, "/"};
    question.memory = &replay.memoryView();
    question.symbols = &replay.symbolView();
    question.allFrames = question.globals = true;
    question.print = {"sum", "*next", "list->next[2]"};
    if (replay.atEnd()) question.end = endOf(replay);
    for (uint32_t thread : replay.threads()) {
      question.frames = replay.frames(thread);
      finding::StopReport report = finding::describeStop(question);
      (void)finding::printed(finding::toJson(finding::toDocument(report)));
      report::SourceFiles files;
      (void)report::renderStop(report, files, report::Screen{}, {.allFrames = true});
    }
  }

  replay::RunEnd endOf(const replay::Replay& replay) const {
    const replay::Ending& ending = replay.ending();
    replay::RunEnd end;
    end.signal = ending.signal;
    end.signalCode = ending.code;
    end.address = ending.address;
    end.isWrite = ending.write;
    end.isInside = ending.kind == replay::Ending::Fault && !ending.outside;
    end.isSmashed = ending.smashed;
    end.thread = replay.thread();
    end.standardError = standardError_;
    if (ending.kind == replay::Ending::Exited) end.exitStatus = int(ending.status);
    return end;
  }

  const Recording& recording_;
  const std::vector<fir::Image>& images_;
  const ReadLimits& limits_;
  std::string standardError_;
  std::string problem_;
  volatile uint64_t checksum_ = 0;
};

} // namespace

std::string readRecording(const Bytes& bytes, const std::vector<fir::Image>& images,
                          const ReadLimits& limits) {
  MemoryFile file(bytes);
  auto recording = Recording::open(file.path());
  if (!recording) return problemOf(recording.error());
  return RecordingReader(*recording, images, limits).run();
}

std::string readImage(const Bytes& bytes) {
  auto image = fir::imageFromBytes(std::vector<char>(bytes.begin(), bytes.end()));
  if (!image) return problemOf(image.error());
  auto valid = fir::validateImage(*image);
  if (!valid) return problemOf(valid.error());
  for (const fir::Function& f : image->functions)
    if (auto code = replay::validateFunction(*image, f); !code)
      if (std::string problem = problemOf(code.error()); !problem.empty()) return problem;
  return {};
}

std::string readProgram(const Bytes& bytes) {
  MemoryFile file(bytes);
  auto program = program::EmbeddedProgram::open(file.path());
  if (!program) return problemOf(program.error());
  for (const auto* records : {&program->units(), &program->links()})
    for (const program::EmbeddedRecord& record : *records)
      if (auto payload = program::unpack(record); !payload)
        if (std::string problem = problemOf(payload.error()); !problem.empty()) return problem;
  return {};
}

} // namespace faultline::test
