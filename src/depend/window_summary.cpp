#include "depend/window_summary.h"

#include <algorithm>

namespace faultline::depend {

using replay::TraceEvent;
using replay::TraceOther;

namespace {

constexpr size_t kMostRanges = 1024;
// What va_start makes readable: the list, the registers that were saved, arguments on the stack.
constexpr uint64_t kList = 24, kSaved = 176, kStacked = 512;

} // namespace

bool startsThread(const OutsideEffect& effect) {
  return effect.function == "pthread_create" || effect.function == "thrd_create" ||
         effect.function.find("_M_start_thread") != std::string::npos;
}

void Summarizer::switchTo(uint32_t thread) {
  summary_.firstThread = thread;
  auto [it, isNew] = threads_.try_emplace(thread);
  thread_ = &it->second;
  if (isNew) thread_->stamp = ++lastStamp_;
}

// Something of the function that is active was executed.
void Summarizer::touch(uint32_t number) {
  if (!thread_->left.empty()) return; // not the base
  if (number >= stamps_.size()) stamps_.resize(std::max<size_t>(number + 1, stamps_.size() * 2));
  if (stamps_[number] == thread_->stamp) return;
  stamps_[number] = thread_->stamp;
  thread_->segments.push_back(number);
}

void Summarizer::segment(uint32_t number, uint32_t from, uint32_t to, StepWords words) {
  const SegmentCode& code = code_.segment(number);
  touch(number);
  auto value = [&](const Place& p) { return p.isConstant ? p.constant : words[p.traced]; };
  for (uint32_t k : code.writes) {
    if (k < from || k >= to) continue;
    const Step& s = code.steps[k];
    bool isSized = s.kind == StepKind::Copy || s.kind == StepKind::Fill;
    written_.add(value(s.address), isSized ? value(s.size) : s.bytes);
  }
  if (!code.beginsFunction || from != 0) return;
  if (!thread_->left.empty()) return thread_->left.pop_back();
  // It was called in the window: the base is further out.
  ++thread_->entered;
  thread_->segments.clear();
  thread_->stamp = ++lastStamp_;
}

void Summarizer::outsideCall(const OutsideEffect& effect) {
  summary_.callsUnknown |= !effect.isModelled;
  summary_.startsThreads |= startsThread(effect);
  for (const OutsideFlow& flow : effect.flows)
    if (!flow.toResult) written_.add(flow.address, flow.size);
}

void Summarizer::other(const TraceOther& o, const Window& window, size_t event) {
  switch (o.kind) {
  case TraceOther::Outside:
    touch(o.segment);
    if (o.number == replay::kNoCall)
      summary_.callsUnknown = true;
    else
      outsideCall((*window.calls)[o.number]);
    return;
  case TraceOther::Leave: {
    const SegmentCode& callee = code_.segment(replay::segmentBefore(window.trace, event));
    thread_->left.push_back({callee.module, callee.function});
    return;
  }
  case TraceOther::Unwound:
    thread_->left.push_back({o.module, o.function});
    return;
  case TraceOther::Land:
  case TraceOther::Jumped:
    return touch(o.segment);
  case TraceOther::Switch:
    return switchTo(o.from);
  case TraceOther::OutsideWrite:
    return written_.add(o.address, o.size);
  case TraceOther::VariableArguments:
    written_.add(o.number, kList);
    written_.add(o.address, kSaved);
    written_.add(o.size, kStacked);
    return;
  case TraceOther::Enter:
  case TraceOther::Part:
    return;
  }
}

WindowSummary Summarizer::summarize(const Window& window) {
  const replay::Trace& trace = window.trace;
  summary_ = {.start = trace.start, .end = trace.end, .lastThread = window.thread};
  threads_.clear();
  switchTo(window.thread);
  const uint64_t* words = trace.words.data() + trace.words.size();
  for (size_t k = trace.events.size(); k-- > 0;) {
    uint32_t number = replay::eventNumber(trace.events[k]);
    switch (replay::eventKind(trace.events[k])) {
    case TraceEvent::Segment: {
      const SegmentCode& code = code_.segment(number);
      words -= code.traceWords;
      segment(number, 0, code.count, {words, 0});
      break;
    }
    case TraceEvent::Return: {
      touch(number);
      const SegmentCode& callee = code_.segment(replay::segmentBefore(trace, k));
      thread_->left.push_back({callee.module, callee.function});
      break;
    }
    case TraceEvent::Other: {
      const TraceOther& o = trace.others[number];
      if (o.kind != TraceOther::Part) {
        other(o, window, k);
        break;
      }
      StepWords part = partWords(code_.segment(o.segment), o.from, o.from + o.count, words);
      words = part.first;
      segment(o.segment, o.from, o.from + o.count, part);
      break;
    }
    }
  }
  summary_.written = written_.take(kMostRanges);
  for (auto& [number, thread] : threads_) {
    ThreadSummary out{.thread = number, .entered = thread.entered, .left = std::move(thread.left)};
    if (!thread.segments.empty()) {
      const SegmentCode& some = code_.segment(thread.segments[0]);
      out.base = {some.module, some.function};
      uint32_t base = code_.segmentsOf(some.module).first;
      for (uint32_t s : thread.segments) out.segments.push_back(s - base);
      std::sort(out.segments.begin(), out.segments.end());
      out.segments.erase(std::unique(out.segments.begin(), out.segments.end()), out.segments.end());
    }
    summary_.threads.push_back(std::move(out));
  }
  return std::move(summary_);
}

} // namespace faultline::depend
