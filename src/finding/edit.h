// A change of one line of the source, such that a person, or an editor, can make it.
#pragma once

#include "finding/document.h"

namespace faultline::finding {

struct Edit {
  Place place = {};       // its line
  uint32_t column = 0;    // in bytes, from 1
  uint32_t length = 0;    // bytes that go
  std::string text = {};  // what comes in their place
  std::string line = {};  // the line afterwards; of a statement that is put in, that alone
  bool isNewLine = false; // it is put in before the line, or behind it
};

Json toJson(const Edit& edit);

} // namespace faultline::finding
