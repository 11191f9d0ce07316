// FIR images: opened, every index checked, every function checked.
#include "mutation/read_all.h"

#include <cstdlib>

using namespace faultline::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!readImage(Bytes(data, data + size)).empty()) abort();
  return 0;
}
