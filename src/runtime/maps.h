// Reads /proc/self/maps line by line, without libc. Large: not for a stack that may be full.
#pragma once

#include "runtime/raw.h"

#include <fcntl.h>

namespace fl {

class Maps {
public:
  struct Area {
    uintptr_t begin, end;
    bool readable, writable, isPrivate;
  };

  bool open() { return (fd_ = int(raw(SYS_open, long("/proc/self/maps"), O_RDONLY | O_CLOEXEC))) >= 0; }
  void close() { raw(SYS_close, fd_); }

  // "begin-end rwxp ..."; false at the end.
  bool next(Area& area) {
    if (peek() < 0) return false;
    area.begin = hex();
    get(); // -
    area.end = hex();
    get(); // space
    area.readable = get() == 'r';
    area.writable = get() == 'w';
    get(); // x
    area.isPrivate = get() == 'p';
    while (int c = get())
      if (c == '\n' || c < 0) break;
    return true;
  }

private:
  int peek() {
    if (at_ == size_) {
      size_ = raw(SYS_read, fd_, long(buffer_), sizeof buffer_);
      at_ = 0;
      if (size_ <= 0) return size_ = 0, -1;
    }
    return buffer_[at_];
  }
  int get() {
    int c = peek();
    if (c >= 0) ++at_;
    return c;
  }
  uintptr_t hex() {
    uintptr_t value = 0;
    for (;;) {
      int c = peek();
      if (c >= '0' && c <= '9')
        value = value * 16 + unsigned(c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value * 16 + unsigned(c - 'a' + 10);
      else
        return value;
      get();
    }
  }

  int fd_ = -1;
  long at_ = 0, size_ = 0;
  char buffer_[4096];
};

} // namespace fl
