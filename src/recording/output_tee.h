// Takes what the program writes to one stream, passes it on, and collects it for the recording. A stream that
// goes to a file is left to the program as it is (it may look at the file, or share it), and what was added
// to the file is read from there in the end.
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

  // byPipe: even if it goes to a file.
  Result<void> open(bool byPipe = false);
  // -1: the program has our own.
  int childEnd() const { return writing_.get(); }
  void closeChildEnd() { writing_.reset(); }
  int fd() const { return reading_.get(); } // to poll; -1 once it is over
  size_t readSome();                        // what is there now; how many bytes
  void finish();                            // what is there still, and the rest to `keep`

private:
  bool readOnce();
  bool openFile();
  void readFile();
  void flush();

  uint32_t stream_;
  int passTo_;
  std::function<void(uint32_t, const std::string&)> keep_;
  FileDescriptor reading_, writing_;
  FileDescriptor file_;
  off_t fileAt_ = 0; // what the file had before
  size_t seen_ = 0;  // bytes that were read
  std::string collected_;
};

} // namespace faultline::recording
