// Takes what the program writes to one stream, passes it on, and collects it for the recording.
#pragma once

#include "recording/input.h"

#include <functional>
#include <string>

namespace faultline::recording {

class OutputTee {
public:
  // `keep` gets the bytes in pieces of at most 1 MiB. `passTo`: a descriptor of ours, or -1.
  OutputTee(uint32_t stream, int passTo, std::function<void(uint32_t, const std::string&)> keep)
      : stream_(stream), passTo_(passTo), keep_(std::move(keep)) {}

  Result<void> open();
  int childEnd() const { return writing_.get(); }
  void closeChildEnd() { writing_.reset(); }
  int fd() const { return reading_.get(); } // to poll; -1 once it is over
  void readSome();                          // what is there now
  void finish();                            // what is there still, and the rest to `keep`

private:
  bool readOnce();
  void flush();

  uint32_t stream_;
  int passTo_;
  std::function<void(uint32_t, const std::string&)> keep_;
  FileDescriptor reading_, writing_;
  std::string collected_;
};

} // namespace faultline::recording
