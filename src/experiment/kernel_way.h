// Which way experiments within one process go on this kernel (runtime/experiment.cpp): back to where each
// left the run, forked off there, or not at all.
#pragma once

#include <string>

namespace faultline::experiment {

struct KernelWay {
  enum Kind { GoesBack, Forks, None };
  Kind kind = None;
  std::string lacks = {}; // what the faster way would need
};
KernelWay kernelWay();

} // namespace faultline::experiment
