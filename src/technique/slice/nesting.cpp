#include "technique/slice/nesting.h"

#include "technique/instance_text.h"

#include <algorithm>

namespace faultline::technique {

Result<std::vector<finding::NestingLevel>> nestingOf(depend::History& history, std::string_view cwd) {
  depend::Question question;
  question.time = history.replay().now();
  depend::WalkOptions options;
  options.values = options.addresses = false;
  FL_TRY(slice, depend::sliceBackward(history, question, options));
  // Without values there is one chain: each decision or call, and what it led to. A loop's branch follows on
  // itself, once a round.
  std::vector<finding::NestingLevel> levels;
  std::vector<uint32_t> ids;
  for (size_t k = 1; k < slice.nodes.size(); ++k) {
    const depend::Node& node = slice.nodes[k];
    // A branch that was met further in, in the same call, is the same loop, a round earlier.
    size_t same = ids.size();
    while (same > 0 && levels[same - 1].kind == "branch" && ids[same - 1] != node.id) --same;
    if (same > 0 && levels[same - 1].kind == "branch") {
      levels.resize(same);
      ids.resize(same);
      ++levels.back().round;
      continue;
    }
    depend::RunCode::Where at = history.code().where(node.id);
    if (!at) continue;
    bool call = at.module->image->instructions[at.local].op == fir::Op::Call;
    levels.push_back({.kind = call ? "call" : "branch",
                      .place = placeOf(history.code(), node.id, cwd),
                      .round = 1,
                      .instance = fmt::format("@{}", node.time)});
    ids.push_back(node.id);
  }
  for (finding::NestingLevel& level : levels)
    if (level.kind == "branch" && level.round > 1) level.kind = "loop";
  std::reverse(levels.begin(), levels.end());
  return levels;
}

} // namespace faultline::technique
