// Re-executes the recorded program. The engine knows the threads, takes records from the log when they are
// due and lets code run in between; handlers and operations know only the Machine.
//
// A thread is at one of three places: in code, at an epoch point (before the counter grows), or outside (in
// an outside call, or at its root). run() looks at the place of the running thread and does what is next:
// execute code until it leaves, see what the log has for this epoch point, or see what happened outside.
#pragma once

#include "base/result.h"
#include "recording/log_reader.h"
#include "replay/machine.h"
#include "replay/outside_listener.h"
#include "replay/thread.h"

#include <optional>

namespace faultline::replay {

using recording::LogReader;
using recording::Record;

class PageReader;
class PageWriter;

inline constexpr uint64_t kNever = ~uint64_t(0);

struct EngineOptions {
  uint64_t memoryLimit = uint64_t(4) << 30;
  uint64_t stackWordsLimit = uint64_t(1) << 27; // of one thread: 1 GiB
  uint64_t maxSteps = kNever;
  // Epoch in which the program stopped, from the recording's end; kNever: not known.
  uint64_t endEpoch = kNever;
  bool onlyPlain = false; // never use fast code
};

// How the run ended.
struct Ending {
  enum Kind : uint8_t {
    None,
    Exited,   // status
    Fault,    // signal that was not handled (0: the recorder's time limit)
    Replaced, // exec
    LogEnded, // the process was killed, or the log is cut off: nothing more is known
  };
  Kind kind = None;
  uint32_t status = 0;
  uint8_t signal = 0;
  uint32_t code = 0;
  uint64_t address = 0; // ~0: none
  bool write = false;
  uint64_t pc = 0;
  bool outside = false; // in outside code, called by the current instruction
  bool smashed = false; // a guard word was overwritten
  bool exact = true;    // false: the instruction is the last one before the fault, as in a stack overflow
};

// A fault, or a call of abort, that a handler of the program's took.
struct HandledFault {
  uint64_t time = 0;  // of the instruction, or of the outside call that it happened in
  uint64_t epoch = 0; // of the handler's entry, too
  uint32_t thread = 0;
  uint64_t depth = 0; // frames below the handler's
  Ending how;         // as it would have ended the run without the handler
};

// Replay and log disagree.
struct Divergence {
  Instance at;
  std::string expected; // by replay
  std::string found;    // in the log
};

class Engine {
public:
  Engine(Program program, LogReader log, EngineOptions options);
  ~Engine();

  enum class Stop { Limit, Break, Ended };
  // Until the instruction with time `limit` is next. Not exact: soon after.
  Result<Stop> run(uint64_t limit, bool exact = true);
  // Until the instruction is next in that epoch; at most to soon after `limit`.
  Result<Stop> runToInstance(uint64_t epoch, uint64_t globalId, uint64_t limit = kNever);

  // From now on run() stops, too, where the log comes to this chunk: what follows may not be there yet.
  void stopAtChunk(uint32_t chunk) { stopChunk_ = chunk; }

  const Ending& ending() const { return ending_; }
  // The first fault whose handler the running thread is still in; nothing if it is in none.
  std::optional<HandledFault> handledFault() const;
  const std::optional<Divergence>& divergence() const { return divergence_; }
  uint64_t steps() const { return m_.steps; }
  uint64_t epoch() const { return m_.epoch; }
  uint64_t recordsTaken() const { return recordsTaken_; }
  // Time of the Ret by which main returned; kNever: it has not.
  uint64_t mainReturn() const { return mainReturn_; }
  Memory& memory() { return m_.memory; }
  LogReader& log() { return log_; }
  const Program& program() const { return program_; }
  void setObserver(Observer* observer) { m_.observer = observer; }
  Observer* observer() const { return m_.observer; }
  void setListener(OutsideListener* listener) { listener_ = listener; }
  // From here on, what is executed goes to the tracer; null: no longer.
  void setTracer(Tracer* tracer);
  // In between, one trace may end and another begin.
  void endTrace();
  void beginTrace();

  // The instruction that is next, or that waits for an outside call.
  Instance current() const;
  uint32_t runningThread() const { return running_; }
  std::vector<const Thread*> threads() const;
  const Thread& thread() const { return *threads_.at(running_); }

  struct State; // everything, see checkpoint.h
  State save(const State* before = nullptr);
  Result<void> restore(const State& state);
  // A state as bytes and back, in another process too; `pages` takes what is large. A decoded state is for
  // this engine's program and memory; bytes that are damaged are refused.
  std::vector<uint8_t> encode(const State& state, PageWriter& pages) const;
  Result<State> decode(std::span<const uint8_t> bytes, PageReader& pages);

  // For operations. False: a fault record belongs to the access; machine.exit is set.
  bool beforeLoad(const Operation& op, uint64_t address, uint64_t size);
  bool beforeStore(const Operation& op, uint64_t address, uint64_t size);
  bool beforeCopy(const Operation& op, uint64_t destination, uint64_t source, uint64_t size);
  bool takeEffects(const Operation& op);
  bool takeCell(const Operation& op, uint64_t& cell);
  bool takeValue(const Operation& op, uint64_t* w);

private:
  friend class StateDecoder;
  // engine.cpp
  bool step(uint64_t limit, bool exact);
  void execute(uint64_t limit, bool exact);
  void leave();
  bool chooseFast(const DecodedFunction& f, uint32_t position, uint64_t limit, bool exact) const;
  void setLimits(bool fast, uint64_t limit, bool exact);
  void goTo(uint32_t plainIndex);
  uint32_t plainIndex(const DecodedFunction& f, const Insn* ip) const;
  Result<Stop> finish(uint64_t limit);
  uint64_t currentId() const;

  // records.cpp
  const Record* peek() const { return log_.peek(); }
  void pop();
  void lookAhead();
  bool isHere(const Record& r) const { return r.hasEpoch() && r.epoch == m_.epoch; }
  void addThread(const Record& r);
  void loadModule(const Record& r);
  void applyEffect(const Record& r);
  void diverge(std::string expected);
  void fail(Error error);
  bool memoryFailed();
  std::string describe(const Record* r) const;

  // calls.cpp
  DecodedFunction* functionFor(CodeTarget target);
  bool prepare(DecodedFunction& f);
  bool push(DecodedFunction& f, Frame::Kind kind, uint32_t resume = 0);
  void call(const CallSite& site, bool argumentsReady);
  void copyArguments(const CallSite& site, const DecodedFunction& f, const uint64_t* from, uint64_t* to);
  void returnFrom(bool ready);
  void returnsToOutside(const DecodedFunction& f);
  void popFrame();
  uint64_t* wordsOf(const Frame& f) { return t().words.data + f.words; }

  // outside.cpp
  void outside();
  bool outsideRecord(const Record& r, const CallSite* site, uint64_t number);
  bool isAbrupt(const Record& r) const;
  void abrupt(const Record& r);
  void enter(const Record& r, Frame::Kind kind, uint32_t resume);
  void returnFromOutside(const CallSite& site, const Record* result);
  void returnComputed(const CallSite& site, const Record* result);
  void hasReturned(const CallSite& site, uint64_t* w, bool tellsResult);
  void notReturning(const CallSite* site);
  void landAt(const Record& r);
  void jumpAgain(const Record& r);
  void rememberJump(const CallSite& site, const uint64_t* w);
  void unwindTo(size_t depth, bool lands);
  void switchTo(uint32_t number);

  // epoch_points.cpp
  void epochPoint();
  bool epochRecord(const Record& r);
  void fault(uint32_t position);
  bool handlerFollows(const Record& faultRecord);
  bool matchesFault(uint64_t address, uint64_t size, bool write) const;
  void endBy(const Record& r, bool exact);
  void noteHandled(const Record& r, bool exact);
  bool isActive(const HandledFault& fault) const;

  Thread& t() { return *threads_[running_]; }
  Frame* topFrame() { return t().depth ? &t().frames.data[t().depth - 1] : nullptr; }
  void park();   // running thread's part: machine -> thread
  void unpark(); // and back

  Program program_;
  LogReader log_;
  EngineOptions options_;
  Machine m_;
  OutsideListener* listener_ = nullptr;
  std::vector<std::unique_ptr<Thread>> threads_; // by number; null: unknown
  uint32_t running_ = 0;
  uint64_t eventEpoch_ = kNever; // of the record at hand, if it carries one
  uint64_t lastEpoch_ = 0;       // of the last record taken that carried one
  uint64_t recordsTaken_ = 0;
  uint64_t mainReturn_ = kNever;
  Ending ending_;
  std::optional<HandledFault> handled_; // may be over: see isActive
  std::optional<Divergence> divergence_;
  std::optional<Error> error_;
  bool atBreak_ = false;
  uint32_t stopChunk_ = fir::kNone;
};

} // namespace faultline::replay
