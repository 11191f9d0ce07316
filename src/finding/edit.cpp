#include "finding/edit.h"

namespace faultline::finding {

Json toJson(const Edit& edit) {
  return {{"line", edit.place.line}, {"column", edit.column}, {"length", edit.length},
          {"text", edit.text},       {"result", edit.line},   {"new_line", edit.isNewLine}};
}

} // namespace faultline::finding
