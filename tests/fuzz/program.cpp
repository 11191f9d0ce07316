// Programs: the ELF file, its sections of ours, and what is packed in them.
#include "mutation/read_all.h"

#include <cstdlib>

using namespace faultline::test;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!readProgram(Bytes(data, data + size)).empty()) abort();
  return 0;
}
