// The socket through which recorded processes ask something of the recorder (abi/control.h).
//
//   FL_TRY(control, ControlSocket::create());
//   ... poll(control.fd()) ...
//   if (auto asked = control.accept()) asked->grant(descriptor);
#pragma once

#include "abi/control.h"
#include "base/result.h"
#include "recording/input.h"

#include <optional>
#include <string>
#include <sys/types.h>

namespace faultline::recording {

// One request. If it is not answered, the program sees its connection closed and goes on by itself.
struct ControlRequest {
  fl_request request;
  std::string path;
  pid_t pid = 0; // who asks, as the kernel says
  FileDescriptor connection;

  void grant(int descriptor) const;
  void grant(const std::string& path) const;

private:
  void answer(const std::string& path, int descriptor) const;
};

class ControlSocket {
public:
  static Result<ControlSocket> create();

  int fd() const { return fd_.get(); }
  uint64_t name() const { return name_; } // for fl_state
  uint64_t token() const { return token_; }
  // A request that has come in; none if it is not one of ours.
  std::optional<ControlRequest> accept() const;

private:
  FileDescriptor fd_;
  uint64_t name_ = 0, token_ = 0;
};

} // namespace faultline::recording
