#include "depend/breakpoints.h"

#include "depend/pieces.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <unordered_map>

namespace faultline::depend {
namespace {

// Blocks without variables are not in the debug information.
std::vector<uint32_t> blocksOf(const fir::Image& image) {
  std::vector<bool> hasVariables(image.scopes.size());
  for (const fir::Variable& v : image.variables)
    if (v.scope < hasVariables.size()) hasVariables[v.scope] = true;
  std::vector<uint32_t> blocks(image.scopes.size());
  for (uint32_t k = 0; k < blocks.size(); ++k) {
    uint32_t at = k;
    while (!hasVariables[at] && image.scopes[at].parent < blocks.size()) at = image.scopes[at].parent;
    blocks[k] = at;
  }
  return blocks;
}

// The ends of blocks that go on to the next one in the code: no machine instruction is made of them.
std::set<uint32_t> fallsThrough(const fir::Image& image, const fir::Function& f) {
  std::set<uint32_t> out;
  for (uint32_t b = 0; b + 1 < f.blockCount; ++b) {
    const fir::Block& block = image.blocks[f.firstBlock + b];
    uint32_t last = block.first + block.count - 1;
    const fir::Instruction& i = image.instructions[last];
    if (i.op == fir::Op::Br && fir::operandIndex(image.operandsOf(i)[0]) == b + 1) out.insert(last);
  }
  return out;
}

// Where the stretch of the line's instructions begins that the instruction is in, or that is before it.
uint32_t stretchOf(RunCode& code, uint32_t id, uint32_t line) {
  RunCode::Where where = code.where(id);
  if (!where) return id;
  const fir::Image& image = *where.module->image;
  const fir::Function& f = image.functions[where.function];
  auto lineOf = [&](uint32_t k) { return image.locations[image.instructions[k].location].line; };
  uint32_t at = id - where.module->base;
  while (at > f.firstInstruction && lineOf(at) != line) --at;
  uint32_t start = at;
  for (; at > f.firstInstruction; --at) {
    uint32_t before = lineOf(at - 1);
    if (before == line) start = at - 1;
    if (before != line && before != 0) break;
  }
  return where.module->base + start;
}

struct Wanted {
  uint32_t offset, question;
  bool isBreakpoint, isStretch;
};

// What is asked for, by segment: each is looked through once.
class WantedSteps {
public:
  void add(uint32_t id, uint32_t question, bool isBreakpoint) {
    auto [it, isNew] = ids_[id].try_emplace(question);
    (isBreakpoint ? it->second.first : it->second.second) = true;
  }
  const std::vector<Wanted>& in(const SegmentCode& code) {
    auto [it, isNew] = bySegment_.try_emplace(&code);
    if (!isNew) return it->second;
    for (auto at = ids_.lower_bound(code.firstId); at != ids_.end() && at->first < code.firstId + code.count;
         ++at)
      for (const auto& [question, what] : at->second)
        it->second.push_back({at->first - code.firstId, question, what.first, what.second});
    return it->second;
  }

private:
  std::map<uint32_t, std::map<uint32_t, std::pair<bool, bool>>> ids_;
  std::unordered_map<const SegmentCode*, std::vector<Wanted>> bySegment_;
};

} // namespace

std::vector<uint32_t> breakpointsAt(const replay::Program& program, std::string_view file, uint32_t line) {
  std::vector<uint32_t> found;
  for (const auto& module : program.modules()) {
    const fir::Image& image = *module->image;
    std::vector<int8_t> isFile(image.files.size(), -1);
    std::vector<uint32_t> blocks; // made when it is needed
    for (const fir::Function& f : image.functions) {
      std::set<uint32_t> taken, silent = fallsThrough(image, f);
      uint32_t before = 0; // the line of the instruction before
      for (uint32_t k = f.firstInstruction; k < f.firstInstruction + f.instructionCount; ++k) {
        const fir::Location& at = image.locations[image.instructions[k].location];
        if (at.line == 0 || silent.contains(k)) continue;
        bool isEntry = at.line == line && before != line && at.file < isFile.size();
        before = at.line;
        if (!isEntry) continue;
        int8_t& is = isFile[at.file];
        if (is < 0) is = std::filesystem::path(image.sourcePath(at)).lexically_normal() == file;
        if (!is) continue;
        if (blocks.empty()) blocks = blocksOf(image);
        uint32_t block = at.scope < blocks.size() ? blocks[at.scope] : fir::kNone;
        if (taken.insert(block).second) found.push_back(module->base + k);
      }
    }
  }
  return found;
}

Result<std::vector<Hits>> countHits(History& history, const std::vector<HitQuestion>& questions) {
  std::vector<Hits> hits(questions.size());
  std::vector<uint64_t> rounds(questions.size()); // of the instance's own stretch, since the last hit
  WantedSteps wanted;
  replay::Time end = 0;
  for (uint32_t q = 0; q < questions.size(); ++q) {
    const HitQuestion& asked = questions[q];
    for (uint32_t id : breakpointsAt(history.replay().program(), asked.file, asked.line))
      wanted.add(id, q, true);
    wanted.add(stretchOf(history.code(), asked.id, asked.line), q, false);
    end = std::max(end, asked.time + 1);
  }
  FL_CHECK(history.forwards(history.replay().start(), end, [&](const Window& window) {
    for (const ExecutedPart& p : piecesOf(history.code(), window.trace))
      for (const Wanted& w : wanted.in(*p.code)) {
        if (w.offset < p.from || w.offset >= p.to) continue;
        if (p.start + (w.offset - p.from) > questions[w.question].time) continue;
        if (w.isBreakpoint) {
          ++hits[w.question].count;
          rounds[w.question] = 0;
        }
        rounds[w.question] += w.isStretch;
      }
    return true;
  }));
  for (size_t q = 0; q < hits.size(); ++q) hits[q].isExact = hits[q].count > 0 && rounds[q] <= 1;
  return hits;
}

} // namespace faultline::depend
