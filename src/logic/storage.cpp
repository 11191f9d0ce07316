#include "logic/storage.h"

#include <algorithm>
#include <cassert>

namespace faultline::logic {

namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9fb21c651e98df25ull;
  return hash ^ (hash >> 32);
}

size_t wordCount(uint32_t width) { return (size_t(width) + 63) / 64; }

} // namespace

uint64_t Storage::hashOf(const Node& n) const {
  uint64_t hash = mix(uint64_t(n.kind) << 32 | n.width, n.parameter);
  for (uint8_t k = 0; k < n.count; ++k) hash = mix(hash, n.operands[k].id);
  for (size_t k = 0; n.wide && k < wordCount(n.width); ++k) hash = mix(hash, n.wide[k]);
  return mix(hash, hash >> 17);
}

void Storage::grow() {
  std::vector<uint32_t> larger(table_.size() * 2, ~0u);
  for (uint32_t id = 0; id < count_; ++id) {
    size_t at = hashOf((*this)[Term{id}]) & (larger.size() - 1);
    while (larger[at] != ~0u) at = (at + 1) & (larger.size() - 1);
    larger[at] = id;
  }
  table_ = std::move(larger);
}

template <class Same> Term Storage::find(uint64_t hash, Same&& same, const Node& fresh) {
  size_t at = hash & (table_.size() - 1);
  for (; table_[at] != ~0u; at = (at + 1) & (table_.size() - 1))
    if (same((*this)[Term{table_[at]}])) return Term{table_[at]};
  assert(count_ < ~uint32_t(0) - 1);
  if ((count_ & (kChunk - 1)) == 0) chunks_.push_back(std::make_unique<Node[]>(kChunk));
  Node& node = chunks_.back()[count_ & (kChunk - 1)];
  node = fresh;
  if (node.wide) {
    wide_.push_back(std::make_unique<uint64_t[]>(wordCount(node.width)));
    std::copy_n(fresh.wide, wordCount(node.width), wide_.back().get());
    node.wide = wide_.back().get();
  }
  if (node.kind == Kind::Variable) node.variables = uint64_t(1) << (mix(node.parameter, node.width) & 63);
  table_[at] = count_;
  Term made{count_++};
  if (size_t(count_) * 2 > table_.size()) grow();
  return made;
}

Term Storage::intern(Kind kind, uint32_t width, std::span<const Term> operands, uint64_t parameter) {
  Node fresh{kind, uint8_t(operands.size()), kind >= Kind::FAdd, width, {}, parameter, nullptr, 0};
  for (size_t k = 0; k < operands.size(); ++k) {
    fresh.operands[k] = operands[k];
    fresh.variables |= (*this)[operands[k]].variables;
    fresh.hasFloat |= (*this)[operands[k]].hasFloat;
  }
  return find(
      hashOf(fresh),
      [&](const Node& n) {
        return n.kind == kind && n.width == width && n.parameter == parameter && n.operands == fresh.operands;
      },
      fresh);
}

Term Storage::constant(uint32_t width, std::span<const uint64_t> words) {
  bool isWide = width > 64;
  Node fresh{Kind::Constant, 0, false, width, {}, isWide ? 0 : words[0], isWide ? words.data() : nullptr, 0};
  return find(
      hashOf(fresh),
      [&](const Node& n) {
        if (n.kind != Kind::Constant || n.width != width || n.parameter != fresh.parameter) return false;
        return !fresh.wide || std::equal(n.wide, n.wide + wordCount(width), fresh.wide);
      },
      fresh);
}

} // namespace faultline::logic
