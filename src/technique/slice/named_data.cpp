#include "technique/slice/named_data.h"

#include "technique/slice/slice.h"

#include <algorithm>
#include <map>
#include <set>

namespace faultline::technique {

using depend::Leaf;
using depend::Node;
using depend::Slice;
using fir::Op;

namespace {

constexpr size_t kMostReads = 6; // that are followed to the names of what they read
constexpr int kDeepest = 3;      // a text that a table names that a table names

struct Datum {
  uint64_t start = 0, end = 0;
  bool has(uint64_t address) const { return address >= start && address < end; }
};

class Names {
public:
  explicit Names(depend::History& history) : history_(history) {}

  Result<void> follow(const depend::Question& question, std::optional<uint32_t> asking) {
    depend::WalkOptions options;
    options.control = options.addresses = false;
    FL_TRY(slice, depend::sliceBackward(history_, question, options));
    struct Read {
      const Leaf* leaf;
      Datum datum;
    };
    std::vector<Read> reads;
    std::map<uint64_t, std::set<uint64_t>> bytes; // of each datum
    for (const Leaf& leaf : slice.leaves) {
      if (leaf.kind != Leaf::Initial) continue;
      const std::optional<Datum> datum = datumAt(leaf.from);
      if (!datum) continue;
      reads.push_back({&leaf, *datum});
      for (uint64_t at = leaf.from; at < std::min(leaf.from + leaf.size, datum->end); ++at)
        bytes[datum->start].insert(at);
    }
    std::ranges::sort(reads, [&](const Read& a, const Read& b) {
      const size_t ofA = bytes[a.datum.start].size(), ofB = bytes[b.datum.start].size();
      return ofA != ofB ? ofA > ofB : a.leaf < b.leaf;
    });
    std::set<std::pair<uint32_t, uint64_t>> seen; // who read, what
    for (const auto& [leaf, datum] : reads) {
      const bool isAsked = leaf->consumer >= slice.nodes.size();
      if (isAsked && !asking) continue;
      Node reader{.time = question.time, .id = asking.value_or(0)};
      if (!isAsked) reader = slice.nodes[leaf->consumer];
      if (!seen.insert({reader.id, datum.start}).second) continue;
      if (seen.size() > kMostReads) break;
      const size_t known = found_.size();
      FL_CHECK(name(reader, leaf->from, datum, 0));
      for (size_t k = known; k < found_.size(); ++k) found_[k].bytes = bytes[datum.start].size();
    }
    return {};
  }

  std::vector<NamedData> take() { return std::move(found_); }

private:
  // Who made the address by which it was read.
  Result<void> name(const Node& reader, uint64_t address, const Datum& datum, int depth) {
    if (names(reader, datum)) {
      add(reader, address);
      return {};
    }
    depend::RunCode::Where at = history_.code().where(reader.id);
    if (!at || depth >= kDeepest) return {};
    const fir::Instruction& i = at.module->image->instructions[at.local];
    depend::Question question{.time = reader.time};
    const uint32_t first = i.op == Op::Call ? 1 : 0;
    const uint32_t count = i.op == Op::Load ? 1 : i.operandCount;
    for (uint32_t k = first; k < count; ++k) question.operands.push_back(k);
    if (question.operands.empty()) return {};
    depend::WalkOptions options;
    options.control = options.addresses = false;
    FL_TRY(slice, depend::sliceBackward(history_, question, options));
    bool isNamed = false;
    for (const Node& node : slice.nodes)
      if (names(node, datum)) {
        add(node, address);
        isNamed = true;
      }
    if (isNamed) return {};
    // Its address stands in a table: who named that?
    for (const Leaf& leaf : slice.leaves) {
      if (leaf.kind != Leaf::Initial || leaf.consumer >= slice.nodes.size()) continue;
      std::optional<Datum> table = datumAt(leaf.from);
      if (!table || table->start == datum.start) continue;
      return name(slice.nodes[leaf.consumer], address, *table, depth + 1);
    }
    return {};
  }

  bool names(const Node& node, const Datum& datum) {
    depend::RunCode::Where at = history_.code().where(node.id);
    if (!at) return false;
    const fir::Image& image = *at.module->image;
    return std::ranges::any_of(image.operandsOf(image.instructions[at.local]), [&](fir::Operand o) {
      if (fir::operandKind(o) != fir::OperandKind::Constant) return false;
      const uint32_t k = fir::operandIndex(o);
      return image.constants[k].symbol != fir::kNone && datum.has(at.module->constants[k]);
    });
  }

  void add(const Node& node, uint64_t address) {
    if (std::ranges::find(found_, node.id, &NamedData::id) == found_.end())
      found_.push_back({.id = node.id, .time = node.time, .address = address});
  }

  // Of the program's own; what is zero at the start was not written there by anybody.
  std::optional<Datum> datumAt(uint64_t address) const {
    for (const auto& module : history_.replay().program().modules())
      for (size_t k = 0; k < module->addresses.size(); ++k) {
        const fir::Symbol& s = module->image->symbols[k];
        const Datum datum{module->addresses[k], module->addresses[k] + s.size};
        if (s.initial != ~uint64_t(0) && !(s.flags & fir::kFunction) && datum.has(address)) return datum;
      }
    return std::nullopt;
  }

  depend::History& history_;
  std::vector<NamedData> found_;
};

} // namespace

Result<std::vector<NamedData>> findNamedData(depend::History& history, const depend::Question& question,
                                             std::optional<uint32_t> reader) {
  Names names(history);
  FL_CHECK(names.follow(valueOnly(question), reader));
  return names.take();
}

} // namespace faultline::technique
