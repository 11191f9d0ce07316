// Which call, and which argument of it, wrote each byte of standard output and standard error.
//
//   FL_TRY(map, mapOutput(replay, {.output = recording.output(1)}));    // runs the replay to its end
//   auto origin = map.originOf(1, 12);                                  // of byte 12 of standard output
//   replay.seek(origin->instance.time)                                  // the call that wrote it is next
//
// The calls are collected in fast code, with what each should have written (output_call.h), and laid along
// what the recording captured (output_align.h).
#pragma once

#include "replay/output_align.h"
#include "replay/output_call.h"
#include "replay/replay.h"

#include <array>

namespace faultline::replay {

struct InstanceName {
  uint64_t time = 0;
  uint64_t epoch = 0;
  uint64_t id = 0; // global id
  uint32_t thread = 0;
};

struct OutputOrigin {
  InstanceName instance;
  std::string function; // linker name
  uint32_t field = 0;   // number within the call
  uint32_t argument = 0, frame = 0;
  std::string spec;
  std::string text;        // that the field wrote
  uint64_t within = 0;     // which byte of it
  bool isVerified = false; // what the call should have written is what was written
};

struct CapturedOutput {
  std::string output = {}, errors = {};
  // Of standard output only what lies about here is of interest: calls before it that fit are forgotten.
  uint64_t interest = 0;
  uint64_t mostFields = 8'000'000;
};

class OutputMap {
public:
  // Nothing: nobody knows, or the byte was never written.
  std::optional<OutputOrigin> originOf(uint32_t stream, uint64_t offset) const;
  // What was handed over and never reached the stream, as what is in a buffer when the program crashes.
  std::vector<OutputOrigin> unwritten(uint32_t stream) const;
  const std::vector<std::string>& caveats() const { return caveats_; }

  struct Call {
    InstanceName instance;
    uint32_t function; // in `names`
  };
  // As collected; mapOutput fills it.
  struct Collected {
    std::vector<Call> calls;
    std::vector<OutputQueue> queues;
    std::vector<std::string> names, specs;
    std::array<uint64_t, 3> start = {}; // by stream: bytes that fitted and were forgotten
    bool isFull = false;
  };
  OutputMap(Collected collected, const CapturedOutput& captured);

private:
  OutputOrigin describe(uint32_t queue, uint32_t field) const;

  Collected c_;
  CapturedOutput captured_;
  std::array<Alignment, 3> alignments_;
  std::vector<std::string> caveats_;
};

Result<OutputMap> mapOutput(Replay& replay, const CapturedOutput& captured);

// The fields of the output call that the replay stands at; nothing if it stands at none.
std::vector<OutputField> outputFieldsHere(Replay& replay);

} // namespace faultline::replay
