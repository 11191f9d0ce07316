// Small changes of the code that make the run pass, as `faultline changes` presents them.
#pragma once

#include "finding/edit.h"
#include "finding/effect.h"

namespace faultline::finding {

struct CodeChange {
  Place place = {};
  std::string form = {}; // comparison, constant ...
  std::string text = {}; // "with `<=` instead of `<`"
  bool verified = false; // again, in a process of its own
  Effect effect = {};
  // In the words of the source, where it is a matter of words: `<` in the place of `<=`.
  std::string from = {}, to = {};
  bool isBehind = false;         // what is put in stands behind the line, not before it
  std::optional<Edit> edit = {}; // where the source has them there
  bool isOfMany = false;         // its function is called from many places:
  std::vector<Place> calls =
      {}; // those that led to what the failure depends on most closely, from inside out
};

struct ChangesReport {
  ProgramInfo program = {};
  std::optional<FailureInfo> failure = {};
  // The likeliest first. Where none repairs: those that make more of the output right, the most first.
  std::vector<CodeChange> changes = {};
  std::vector<std::string> caveats = {};
  uint64_t places = 0, proposals = 0, tried = 0, passed = 0, around = 0, orderly = 0, same = 0, other = 0,
           none = 0;
  // Of `tried`, `passed`, `around`: what was tried since a statement may be missing.
  struct Missing {
    uint64_t tried = 0, passed = 0, around = 0;
  } missing = {};
  uint64_t guards = 0, guarded = 0; // beside all these: guards that were tried, and that helped
  double seconds = 0;               // of the search
  std::string method = {};
  Json stats = Json::object();
};

Document toDocument(const ChangesReport& report);

} // namespace faultline::finding
