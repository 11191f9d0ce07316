// A process in a cell that has loaded the program and waits to be copied (abi/parked.h), so that a run with
// the same arguments and environment as the one before costs a fork. If it can, it is late: the program has
// run in it up to where runs may differ by their input. System calls only (cell_inside.h).
#pragma once

#include "abi/parked.h"
#include "experiment/cell_filter.h"

namespace faultline::experiment {

class CellParked {
public:
  bool isThere() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  // Where too much is lost by it, or it cannot be, it is not tried again.
  bool isWorthwhile() const { return !isRefused_ && (losses_ < 8 || losses_ * 4 < copies_); }

  // It was started; takes the descriptors. False: it cannot be copied, and is gone.
  bool begin(pid_t pid, int pidFd, int socket, int filter, FilterSeen& seen);
  // Puts a scout in its place; `shared` is memory as a run gets it. Where that is in vain it stays.
  void goOn(const char* directory, int shared, int filter, int milliseconds);
  bool mayGoOn() const { return triesLeft_ > 0 && (lateLosses_ < 4 || lateLosses_ * 4 < copies_); }
  bool isLate() const { return isLate_; }
  // The number of a new child of ours; -1: it is gone.
  pid_t copy(const char* directory, const int (&given)[FL_PARKED_DESCRIPTORS]);
  void end();       // kills it
  void endInVain(); // the files that it was to see are others now
  void lost();      // it was killed, and waited for

private:
  pid_t order(char what, const char* directory, const int (&given)[FL_PARKED_DESCRIPTORS]);
  void countLoss();
  void forget();

  pid_t pid_ = 0;
  int pidFd_ = -1, socket_ = -1;
  bool isRefused_ = false, isLate_ = false;
  unsigned triesLeft_ = 0; // to go on
  unsigned copies_ = 0, losses_ = 0, lateLosses_ = 0;
};

} // namespace faultline::experiment
