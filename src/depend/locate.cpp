#include "depend/locate.h"

#include "depend/pieces.h"

namespace faultline::depend {

namespace {

bool endsInPath(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

} // namespace

std::unordered_set<uint32_t> instructionsAt(const replay::Program& program, std::string_view file,
                                            uint32_t line) {
  std::unordered_set<uint32_t> found;
  for (const auto& module : program.modules()) {
    const fir::Image& image = *module->image;
    std::vector<int8_t> isFile(image.files.size(), -1);
    for (uint32_t k = 0; k < image.instructions.size(); ++k) {
      const fir::Location& at = image.locations[image.instructions[k].location];
      if (at.line != line || at.file >= isFile.size()) continue;
      int8_t& is = isFile[at.file];
      if (is < 0) is = endsInPath(image.sourcePath(at), file);
      if (is) found.insert(module->base + k);
    }
  }
  return found;
}

Result<std::optional<Execution>> findExecution(History& history, const std::unordered_set<uint32_t>& ids,
                                               uint64_t number, replay::Time end) {
  std::optional<Execution> found;
  uint64_t count = 0;
  bool within = false; // the last piece was on the line
  auto lastIn = [&](const ExecutedPart& p) -> std::optional<Execution> {
    for (uint32_t k = p.to; k-- > p.from;)
      if (ids.contains(p.code->firstId + k)) return Execution{p.start + (k - p.from), p.code->firstId + k};
    return std::nullopt;
  };
  if (number == 0) {
    FL_CHECK(history.backwards(end, [&](const Window& window) {
      std::vector<ExecutedPart> pieces = piecesOf(history.code(), window.trace);
      for (size_t k = pieces.size(); k-- > 0 && !found;) found = lastIn(pieces[k]);
      return !found;
    }));
    return found;
  }
  FL_CHECK(history.forwards(0, end, [&](const Window& window) {
    for (const ExecutedPart& p : piecesOf(history.code(), window.trace)) {
      auto here = lastIn(p);
      if (here && !within) ++count;
      within = here.has_value();
      if (here && count == number) found = here;
      if (count > number || (count == number && !here)) return false;
    }
    return true;
  }));
  return found;
}

} // namespace faultline::depend
