// Encoded states of a replay (replay/state_encode.cpp), taken apart so that a test can put one into another
// engine, or damage it first.
#pragma once

#include "mutation/read_all.h"

namespace faultline::replay {
class Replay;
}

namespace faultline::test {

struct SavedState {
  uint64_t time = 0, epoch = 0;
  Bytes root;
  std::vector<Bytes> pages; // unpacked
};

SavedState saveState(replay::Replay& replay);
// At so many times, from the start to the end.
std::vector<SavedState> savedStates(const Bytes& recording, const std::vector<fir::Image>& images,
                                    unsigned count);

// Replays the recording to many times at random, takes the state there to a replay that has seen nothing, and
// goes on from it: memory, stacks, ending and the final check must be those of the run. Says what differs.
std::string checkSavedStates(const std::string& recording, const std::vector<fir::Image>& images,
                             unsigned times);

// Goes on from a state that may be damaged, as far as it goes. An error is a fine answer.
std::string continueFrom(const Bytes& recording, const std::vector<fir::Image>& images,
                         const SavedState& state, const ReadLimits& limits);

// The recording without what comes before the state, as `record --last` leaves it.
Bytes recordingFrom(const Bytes& recording, const SavedState& state);

SavedState mutateState(const SavedState& good, uint64_t seed, std::string& how);

} // namespace faultline::test
