// What a part of a run (a window) touched, as far as a backward walk has to know to pass over it without its
// trace: the memory that was written, the calls that were entered and left, and what was executed of the one
// function of each thread that was active all the time.
//
//   main: ... | work(); work(); wo|rk(); ...      the window ends within work
//   entered by its end: work; base: main, with the segments around the calls; written: what work wrote
#pragma once

#include "depend/code.h"
#include "depend/outside_calls.h"
#include "depend/written_memory.h"
#include "replay/trace.h"

#include <map>

namespace faultline::depend {

struct Window {
  replay::Trace trace;
  std::unique_ptr<OutsideCalls> calls;
  uint32_t thread = 0; // that runs where it ends
  uint64_t epoch = 0;  // in which it begins
};

struct FunctionName {
  uint32_t module = 0, function = 0;
  bool operator==(const FunctionName&) const = default;
};

struct ThreadSummary {
  uint32_t thread = 0;
  uint32_t entered = 0;                // functions active at the end that were called in the window
  std::vector<FunctionName> left = {}; // active at the start and left in the window, the outermost first
  // The function that those were called by; nothing of it is known if it has no segments.
  FunctionName base = {};
  std::vector<uint32_t> segments = {}; // numbers in their module, ascending: of what was executed of it
  bool operator==(const ThreadSummary&) const = default;
};

struct WindowSummary {
  uint64_t start = 0, end = 0; // time
  uint32_t firstThread = 0, lastThread = 0;
  bool callsUnknown = false;  // outside code without a model, which may have written anything it can reach
  bool startsThreads = false; // outside code that may have
  std::vector<WrittenRange> written = {}; // ascending, disjoint
  std::vector<ThreadSummary> threads = {};
  bool operator==(const WindowSummary&) const = default;
};

// True of outside functions that start a thread.
bool startsThread(const OutsideEffect& effect);

// Makes summaries of windows, one after the other.
class Summarizer {
public:
  explicit Summarizer(Code& code) : code_(code) {}
  WindowSummary summarize(const Window& window);

private:
  struct Thread {
    uint32_t entered = 0;
    std::vector<FunctionName> left;
    std::vector<uint32_t> segments; // of the base, by numbers of the trace
    uint32_t stamp = 0;
  };
  void other(const replay::TraceOther& other, const Window& window, size_t event);
  void segment(uint32_t number, uint32_t from, uint32_t to, StepWords words);
  void touch(uint32_t number);
  void outsideCall(const OutsideEffect& effect);
  void switchTo(uint32_t thread);

  Code& code_;
  WindowSummary summary_;
  WrittenMemory written_;
  std::map<uint32_t, Thread> threads_;
  Thread* thread_ = nullptr;
  std::vector<uint32_t> stamps_; // by segment: the stamp of the base that has it
  uint32_t lastStamp_ = 0;
};

} // namespace faultline::depend
