// Passes a pipe on to the program through one of our own, piece by piece, and keeps a copy: the program reads
// from a pipe as it would without us, and one that never ends does not keep it from starting.
#pragma once

#include "recording/input.h"

#include <functional>
#include <poll.h>
#include <string>

namespace faultline::recording {

class InputPump {
public:
  // `keep` gets the bytes in pieces. `from` stays the caller's.
  InputPump(int from, FileDescriptor to, std::function<void(const std::string&)> keep);

  pollfd awaited() const; // to poll; fd -1 once it is over
  void move();            // what is possible now, without waiting
  void finish();          // the rest to `keep`
  bool keptAll() const { return keptAll_; }

private:
  void read();
  void write();

  int from_;
  FileDescriptor to_;
  std::function<void(const std::string&)> keep_;
  std::string pending_; // read, not yet written
  std::string collected_;
  uint64_t total_ = 0;
  bool keptAll_ = true;
};

} // namespace faultline::recording
