#include "program/loops.h"

#include "program/operands.h"

#include <algorithm>

namespace faultline::fir {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;

// Strongly connected parts (Tarjan) of the graph that `blocks` make by themselves.
class Parts {
public:
  Parts(const Edges& successors, const std::vector<uint32_t>& blocks)
      : successors_(successors), number_(successors.size(), kOutside), low_(successors.size()),
        isOpen_(successors.size()) {
    for (uint32_t b : blocks) number_[b] = kUnseen;
    for (uint32_t b : blocks)
      if (number_[b] == kUnseen) visit(b);
  }

  std::vector<std::vector<uint32_t>> take() { return std::move(parts_); }

private:
  static constexpr uint32_t kOutside = kNone, kUnseen = kNone - 1;

  void visit(uint32_t from) {
    std::vector<std::pair<uint32_t, size_t>> stack;
    auto enter = [&](uint32_t b) {
      number_[b] = low_[b] = next_++;
      isOpen_[b] = true;
      open_.push_back(b);
      stack.push_back({b, 0});
    };
    enter(from);
    while (!stack.empty()) {
      const uint32_t b = stack.back().first;
      if (stack.back().second < successors_[b].size()) {
        uint32_t s = successors_[b][stack.back().second++];
        if (number_[s] == kUnseen)
          enter(s);
        else if (number_[s] != kOutside && isOpen_[s])
          low_[b] = std::min(low_[b], number_[s]);
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) low_[stack.back().first] = std::min(low_[stack.back().first], low_[b]);
      if (low_[b] == number_[b]) close(b);
    }
  }

  void close(uint32_t first) {
    std::vector<uint32_t> part;
    for (uint32_t b = kNone; b != first;) {
      b = open_.back();
      open_.pop_back();
      isOpen_[b] = false;
      part.push_back(b);
    }
    std::ranges::sort(part);
    parts_.push_back(std::move(part));
  }

  const Edges& successors_;
  std::vector<uint32_t> number_, low_, open_;
  std::vector<bool> isOpen_;
  uint32_t next_ = 0;
  std::vector<std::vector<uint32_t>> parts_;
};

bool contains(const std::vector<uint32_t>& sorted, uint32_t block) {
  return std::ranges::binary_search(sorted, block);
}

} // namespace

Loops::Loops(const Image& image, const Function& function) : innermost_(function.blockCount, kNone) {
  Edges successors(function.blockCount);
  std::vector<uint32_t> all;
  std::span<const Block> blocks = image.blocksOf(function);
  for (uint32_t b = 0; b < function.blockCount; ++b) {
    all.push_back(b);
    if (blocks[b].count == 0) continue;
    const Instruction& last = image.instructions[blocks[b].first + blocks[b].count - 1];
    forEachSuccessor(image, last, [&](uint32_t s) {
      if (s < function.blockCount) successors[b].push_back(s);
    });
  }
  findIn(successors, std::move(all), kNone);
}

// Loops directly within the blocks, and those within them.
void Loops::findIn(const Edges& successors, std::vector<uint32_t> blocks, uint32_t outer) {
  Edges predecessors(successors.size());
  for (uint32_t b = 0; b < successors.size(); ++b)
    for (uint32_t s : successors[b]) predecessors[s].push_back(b);
  std::vector<std::pair<std::vector<uint32_t>, uint32_t>> work;
  work.push_back({std::move(blocks), outer});
  while (!work.empty()) {
    auto [within, around] = std::move(work.back());
    work.pop_back();
    for (std::vector<uint32_t>& part : Parts(successors, within).take()) {
      bool isLoop =
          part.size() > 1 || std::ranges::find(successors[part[0]], part[0]) != successors[part[0]].end();
      if (!isLoop) continue;
      add(successors, predecessors, part, around);
      std::erase(part, loops_.back().header);
      if (!part.empty()) work.push_back({std::move(part), uint32_t(loops_.size() - 1)});
    }
  }
}

void Loops::add(const Edges& successors, const Edges& predecessors, std::vector<uint32_t> blocks,
                uint32_t outer) {
  Loop loop{blocks[0], outer, std::move(blocks), {}};
  auto isEntered = [&](uint32_t b) {
    return b == 0 ||
           std::ranges::any_of(predecessors[b], [&](uint32_t p) { return !contains(loop.blocks, p); });
  };
  auto entered = std::ranges::find_if(loop.blocks, isEntered);
  if (entered != loop.blocks.end()) loop.header = *entered;
  for (uint32_t b : loop.blocks) {
    innermost_[b] = uint32_t(loops_.size());
    if (std::ranges::any_of(successors[b], [&](uint32_t s) { return !contains(loop.blocks, s); }))
      loop.leaving.push_back(b);
  }
  loops_.push_back(std::move(loop));
}

bool Loops::has(uint32_t loop, uint32_t block) const { return contains(loops_[loop].blocks, block); }

} // namespace faultline::fir
