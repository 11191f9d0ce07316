// Where input comes from: for each call that took bytes from outside, the stream they belong to and where in
// it they stand. Found in one pass over the whole run, which follows descriptors, FILEs and file streams from
// where they are opened.
//
//   FL_TRY(inputs, Inputs::of(replay, {.standardInput = recording.input()}));
//   inputs.at(time)              the call at this time: stdin, from byte 120 on, 16 bytes
//   inputs.inMemory(address)     argv[2], byte 0; a mapped file
//   inputs.find("stdin:120-130") the calls that took these bytes, and which of theirs they are
//
// Offsets are those that the program has consumed, not what a library has read ahead.
#pragma once

#include "replay/replay.h"

#include <map>

namespace faultline::depend {

using replay::Time;

struct InputStream {
  enum Kind : uint8_t { StandardInput, File, Socket, Pipe, Environment, ProgramArgument, Other };
  Kind kind = Other;
  std::string name = {};    // path, variable, "argv[2]" ...
  std::string text() const; // as find() takes it: "stdin", "data.txt", "env:HOME", "argv[2]"
};

struct InputRange {
  uint32_t stream = 0;                 // in streams()
  std::optional<uint64_t> offset = {}; // of the first byte
  std::optional<uint64_t> size = {};   // nothing: some, nobody knows how many; 0: the end, or an error
  std::string why = {};                // offset or size is not known
  // What the conversions of a scanf took of it, one after the other: first byte, bytes.
  std::vector<std::pair<uint64_t, uint64_t>> pieces = {};
};

// Bytes that were asked for: in the input of a call, or in memory that the program found at its start.
struct InputPlace {
  std::optional<Time> call = {};
  uint64_t first = 0;   // of the call's bytes
  uint64_t address = 0; // without a call
  uint64_t size = 0;
  uint64_t offset = 0; // of the first of them in the stream
};

struct FoundInput {
  std::vector<InputPlace> places = {};
  std::vector<Time> uncertain = {}; // calls that read the stream, nobody knows where
};

struct InputOptions {
  std::optional<std::string> standardInput = {}; // its bytes, if they were recorded
  std::vector<std::string> argv = {};            // of the run
};

class Inputs {
public:
  // Runs the replay from its start to its end.
  static Result<Inputs> of(replay::Replay& replay, InputOptions options = {});

  const std::vector<InputStream>& streams() const { return streams_; }
  // Of the outside call at that time. Nothing: it took no input, or from a stream in memory.
  std::optional<InputRange> at(Time call) const;
  // Of `size` bytes of these, from byte `from` on, as a leaf of a slice names them; size kAllInput: all from
  // there on.
  std::optional<InputRange> at(Time call, uint64_t from, uint64_t size) const;
  // Of a byte that was there before the program: argv, a mapped file. size: to the end of it.
  std::optional<InputRange> inMemory(uint64_t address) const;
  // "stdin:120-130" (both included), "data.txt:5", "argv[2]", "env:HOME".
  Result<FoundInput> find(std::string_view what) const;
  size_t calls() const { return calls_.size(); }

private:
  friend class InputCollector;
  struct InMemory {
    uint64_t address, size;
    uint32_t stream;
    uint64_t offset;
  };
  std::optional<uint32_t> streamNamed(std::string_view name) const;

  std::vector<InputStream> streams_;
  std::map<Time, InputRange> calls_;
  std::vector<InMemory> memory_;
};

} // namespace faultline::depend
