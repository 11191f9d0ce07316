// Effects as text, so that a test reads as what a call made of what:
//
//   1000+3 <= m2000+3      3 bytes at 0x1000, bytewise from the 3 bytes at 0x2000
//   r <- a1 m2000+4        the result, from argument 1 and from memory
//   i0+5 w f1a2            input from byte 0 on, 5 bytes; the world; argument 2 of the call of the frame
//   around i#1                    what the second conversion of a scanf took of its input ? 1000+40 <- a0
//   only where the program notices it
#pragma once

#include "depend/outside_flow.h"
#include "depend/scanned_input.h"

#include <fmt/format.h>

namespace faultline::depend::testing {

inline std::string text(const FlowSource& s) {
  switch (s.kind) {
  case FlowSource::Argument:
    return s.frame ? fmt::format("f{}a{}", s.frame, s.argument) : fmt::format("a{}", s.argument);
  case FlowSource::Memory:
    return fmt::format("m{:x}+{}", s.address, s.size);
  case FlowSource::Input:
    if (isPiece(s.address)) return fmt::format("i#{}", pieceNumber(s.address));
    return s.size == kAllInput ? "i?" : fmt::format("i{}+{}", s.address, s.size);
  default:
    return "w";
  }
}

inline std::string text(const OutsideFlow& flow) {
  std::string out = flow.ifNoticed ? "? " : "";
  out += flow.toResult ? "r" : fmt::format("{:x}+{}", flow.address, flow.size);
  out += flow.isBytewise ? " <=" : " <-";
  for (const FlowSource& s : flow.sources) out += " " + text(s);
  return out;
}

inline std::vector<std::string> texts(const OutsideEffect& effect) {
  std::vector<std::string> out;
  for (const OutsideFlow& flow : effect.flows) out.push_back(text(flow));
  return out;
}

} // namespace faultline::depend::testing
