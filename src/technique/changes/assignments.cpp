#include "technique/changes/assignments.h"

#include "technique/instance_text.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <set>

namespace faultline::technique {

using experiment::Alteration;
using experiment::Ending;
using experiment::Outcome;
using experiment::Verdict;
using fir::Op;

namespace {

constexpr size_t kMostReads = 2500;     // instances that are given other values
constexpr size_t kMostOfOne = 24;       // of one instruction
constexpr size_t kMostOthers = 3;       // values that the instruction read at other times
constexpr size_t kMostCells = 12;       // places and times in memory for which an assignment is looked for
constexpr size_t kMostOfCell = 4;       // times of one of them
constexpr size_t kMostCounters = 8;     // for which a count is
constexpr size_t kMostStatements = 800; // before which it might stand
constexpr size_t kMostOnce = 5;
constexpr uint64_t kFarEnough = 20'000'000; // instructions

struct Read {
  uint64_t time = 0;
  uint32_t id = 0;
  unsigned round = 0; // the latest of each instruction first, then some before, then more
  uint64_t epoch = 0, value = 0;
  uint32_t bits = 0;
  bool isPointer = false, isMemory = false;
};

// A read that had better given another value.
struct Repair {
  size_t read = 0; // number
  uint64_t value = 0;
  double share = 0; // of the output that it makes right; 1: the run passes
};

struct Statement {
  uint32_t id = 0;
  uint64_t time = 0;      // executed last
  bool asksOften = false; // a store or a call (abi/experiment.h, FL_SLOT_BEFORE)
};

uint64_t maskOf(uint32_t bits) { return bits < 64 ? (uint64_t(1) << bits) - 1 : ~uint64_t(0); }

class AssignmentSearch {
public:
  AssignmentSearch(depend::Instances& instances, experiment::Trials& trials, const ChangeOptions& options,
                   const std::function<bool(uint32_t)>& isOwn, ChangeResult& result)
      : instances_(instances), trials_(trials), options_(options), isOwn_(isOwn), result_(result) {}

  Result<void> run(const depend::Slice& slice) {
    FL_CHECK(collectReads(slice));
    FL_CHECK(tryValues());
    size_t before = result_.found.size() + result_.partial.size();
    FL_CHECK(tryAssignments());
    if (result_.found.size() + result_.partial.size() == before) FL_CHECK(addOnce());
    if (!result_.found.empty()) result_.partial.clear();
    return {};
  }

private:
  depend::History& history() { return instances_.history(); }

  Result<void> collectReads(const depend::Slice& slice) {
    std::map<uint32_t, size_t> seen;
    for (const depend::Node& node : slice.nodes) {
      if (node.id == 0) continue;
      depend::RunCode::Where at = history().code().where(node.id);
      if (!at) continue;
      const fir::Image& image = *at.module->image;
      const fir::Instruction& i = image.instructions[at.local];
      if (i.op != Op::Load && i.op != Op::LoadVar) continue;
      const fir::Type& type = image.types[i.type];
      bool isPointer = type.kind == fir::TypeKind::Pointer;
      if (type.words != 1 || type.lanes != 1 || (!isPointer && type.kind != fir::TypeKind::Int)) continue;
      size_t known = seen[node.id]++;
      if (known >= kMostOfOne) continue;
      reads_.push_back({.time = node.time,
                        .id = node.id,
                        .round = unsigned(std::bit_width(known) + 1) / 2,
                        .bits = isPointer ? 64 : type.bits,
                        .isPointer = isPointer,
                        .isMemory = i.op == Op::Load});
    }
    std::ranges::sort(reads_, {}, [](const Read& r) { return std::pair(r.round, ~r.time); });
    if (reads_.size() > kMostReads) reads_.resize(kMostReads);
    std::ranges::sort(reads_, {}, &Read::time);
    for (Read& read : reads_) {
      FL_TRY(x, instances_.at(read.time));
      read.value = x.value;
      seen_[read.id].insert(read.value);
    }
    for (Read& read : reads_) {
      FL_TRY(epoch, epochAt(read.time));
      read.epoch = epoch;
    }
    std::ranges::sort(reads_, std::ranges::greater(), &Read::time);
    return {};
  }

  Result<uint64_t> epochAt(uint64_t time) {
    FL_CHECK(history().replay().seek(time));
    return history().replay().current().epoch;
  }

  std::vector<uint64_t> othersThan(const Read& read) const {
    std::vector<uint64_t> out;
    const uint64_t mask = maskOf(read.bits);
    auto take = [&](uint64_t value) {
      value &= mask;
      if (value != (read.value & mask) && std::ranges::find(out, value) == out.end()) out.push_back(value);
    };
    take(0);
    if (read.isPointer) return out; // nobody writes an address
    take(1);
    take(read.value + 1);
    take(read.value - 1);
    size_t others = 0;
    for (uint64_t value : seen_.at(read.id))
      if (others++ < kMostOthers) take(value);
    return out;
  }

  // Gives each read other values, once.
  Result<void> tryValues() {
    std::vector<experiment::Trials::Trial> batch;
    std::vector<Repair> made;
    for (size_t k = 0; k < reads_.size(); ++k)
      for (uint64_t value : othersThan(reads_[k])) {
        batch.push_back({made.size(), {.alterations = {replaced(reads_[k], value)}}});
        made.push_back({k, value, 0});
      }
    FL_CHECK(runAll(std::move(batch), [&](size_t number, double share) {
      repairs_.push_back(made[number]);
      repairs_.back().share = share;
    }));
    // What is forgotten is mostly to begin anew.
    std::ranges::sort(repairs_, {}, [&](const Repair& r) {
      bool isKnown = seen_.at(reads_[r.read].id).contains(r.value);
      return std::tuple(-r.share, r.value != 0, !isKnown, r.read, r.value);
    });
    return {};
  }

  static Alteration replaced(const Read& read, uint64_t value) {
    return {.kind = Alteration::ReplaceValue, .epoch = read.epoch, .instruction = read.id, .value = value};
  }

  // improved(tag, share) for each that made more of the output right, or all of it.
  Result<void> runAll(std::vector<experiment::Trials::Trial> batch,
                      const std::function<void(size_t, double)>& improved) {
    constexpr size_t kBatch = 2048;
    result_.proposals += batch.size();
    for (size_t next = 0; next < batch.size() && !stop_; next += kBatch) {
      auto end = batch.begin() + std::ptrdiff_t(std::min(batch.size(), next + kBatch));
      std::vector<experiment::Trials::Trial> some(batch.begin() + std::ptrdiff_t(next), end);
      FL_CHECK(trials_.run(std::move(some), [&](size_t tag, const Outcome* outcome) {
        ++result_.tried;
        if (outcome) {
          count(*outcome);
          bool passed = outcome->verdict == Verdict::Passed;
          double share = passed ? 1 : trials_.judge().progress(outcome->ending);
          const bool isAround = passed && trials_.judge().reaches(outcome->ending).value_or(1) < 1;
          result_.around += isAround;
          if (share > 0 && !isAround) improved(tag, share);
          result_.improved += !passed && share > 0;
        }
        stop_ = options_.watch && !options_.watch(result_.tried, result_.proposals, result_.passed);
        return !stop_;
      }));
    }
    // What takes longer than the run did is no repair.
    trials_.leaveAside([&](size_t, const Outcome* outcome) {
      count(*outcome);
      return true;
    });
    result_.stopped |= stop_;
    return {};
  }

  void count(const Outcome& outcome) {
    result_.passed += outcome.verdict == Verdict::Passed;
    result_.same += outcome.verdict == Verdict::SameFailure;
    result_.other += outcome.verdict == Verdict::OtherFailure;
    result_.none += outcome.verdict == Verdict::None;
  }

  Result<void> tryAssignments() {
    std::map<std::pair<uint64_t, uint64_t>, std::set<uint64_t>> tried; // address, value: since when it was so
    size_t cells = 0;
    for (const Repair& repair : repairs_) {
      const Read& read = reads_[repair.read];
      if (!read.isMemory || cells >= kMostCells || stop_) continue;
      FL_TRY(cell, cellOf(read));
      if (!cell) continue;
      std::set<uint64_t>& since = tried[{cell->address, repair.value}];
      FL_TRY(written, writtenBefore(read.time));
      if (since.size() >= kMostOfCell || !since.insert(written).second) continue;
      ++cells;
      FL_CHECK(tryToSet(*cell, written, repair.value));
    }
    if (!anyPasses()) FL_CHECK(tryToCount());
    const bool isRepaired = anyPasses();
    for (FoundChange& found : inserted_)
      if (!isRepaired || found.share >= 1) FL_CHECK(add(std::move(found)));
    return {};
  }

  bool anyPasses() const {
    return std::ranges::any_of(inserted_, [](const FoundChange& c) { return c.share >= 1; });
  }

  // What a read has read.
  struct Cell {
    const Read* read = nullptr;
    uint64_t address = 0, size = 0;
  };
  Result<std::optional<Cell>> cellOf(const Read& read) {
    FL_TRY(access, instances_.access(read.time));
    if (!access || access->size > 8) return std::optional<Cell>();
    return std::optional<Cell>({&read, access->address, access->size});
  }

  // When what it read was written.
  Result<uint64_t> writtenBefore(uint64_t read) {
    FL_TRY(pieces, instances_.loaded(read));
    uint64_t last = 0;
    for (const depend::OriginPiece& piece : pieces)
      if (piece.origin.time != depend::kNoInstance && piece.origin.time < read)
        last = std::max(last, piece.origin.time);
    return last;
  }

  Result<void> tryToSet(const Cell& cell, uint64_t written, uint64_t value) {
    FL_TRY(epoch, epochAt(written));
    FL_TRY(name, nameOf(*cell.read));
    Alteration set{.kind = Alteration::WriteMemory, .epoch = std::max<uint64_t>(1, epoch)};
    set.bytes.assign(reinterpret_cast<const char*>(&value), size_t(cell.size));
    return tryBefore(cell, written, std::move(set),
                     fmt::format("{} = {}", name, numberText(*cell.read, value)));
  }

  // A number that is too small, or too large: is it not counted somewhere?
  Result<void> tryToCount() {
    std::set<uint64_t> counters;
    for (const Read& read : reads_) {
      if (counters.size() >= kMostCounters || stop_) break;
      if (!read.isMemory || read.isPointer || read.bits < 8) continue;
      FL_TRY(cell, cellOf(read));
      if (!cell || !counters.insert(cell->address).second) continue;
      FL_TRY(name, nameOf(read));
      for (int64_t by : {1, -1}) {
        Alteration count{.kind = Alteration::AddToMemory, .epoch = 1, .value = uint64_t(by)};
        count.bytes.assign(size_t(cell->size), '\0');
        FL_CHECK(tryBefore(*cell, 0, std::move(count), name + (by > 0 ? "++" : "--")));
      }
    }
    return {};
  }

  // The assignment before each statement that was executed from then on until the cell was read.
  Result<void> tryBefore(const Cell& cell, uint64_t from, Alteration assignment, const std::string& text) {
    assignment.address = cell.address;
    assignment.each = true;
    FL_TRY(statements, statementsBetween(from, cell.read->time));
    std::vector<experiment::Trials::Trial> batch;
    for (size_t k = 0; k < statements.size(); ++k) {
      assignment.instruction = statements[k].id;
      assignment.slot = statements[k].asksOften ? FL_SLOT_BEFORE : 0;
      batch.push_back({k, {.alterations = {assignment}}});
    }
    std::vector<std::pair<size_t, double>> improved;
    std::vector<experiment::Trials::Trial> asked = batch;
    FL_CHECK(runAll(std::move(asked), [&](size_t k, double share) { improved.push_back({k, share}); }));
    std::ranges::sort(improved);
    // A value begins anew where what it was for has ended, or where the next begins: from both ends inwards.
    for (size_t n = 0; n < improved.size(); ++n) {
      auto [k, share] = improved[n % 2 ? n / 2 : improved.size() - 1 - n / 2];
      inserted_.push_back({statements[k].id,
                           {batch[k].experiment.alterations[0], ChangeForm::Inserted,
                            fmt::format("if `{}` came before it", text), "", text + ";"},
                           false,
                           share});
    }
    return {};
  }

  // One instruction of each line that was executed in between and that asks whether to be altered, the
  // latest first.
  Result<std::vector<Statement>> statementsBetween(uint64_t from, uint64_t to) {
    std::map<uint32_t, uint64_t> segments; // by first instruction: when it was executed last
    uint64_t least = to > kFarEnough ? std::max(from, to - kFarEnough) : from;
    FL_CHECK(history().backwards(to, [&](const depend::Window& window) {
      uint64_t time = window.trace.start;
      auto pass = [&](uint32_t segment, uint64_t count) {
        if (time + count > from && time < to) {
          uint64_t& last = segments[segment];
          last = std::max(last, time);
        }
        time += count;
      };
      for (uint32_t event : window.trace.events) {
        uint32_t number = replay::eventNumber(event);
        if (replay::eventKind(event) == replay::TraceEvent::Segment) {
          pass(number, history().code().segment(number).count);
        } else if (replay::eventKind(event) == replay::TraceEvent::Other) {
          const replay::TraceOther& other = window.trace.others[number];
          if (other.kind == replay::TraceOther::Part) pass(other.segment, other.count);
        }
      }
      return window.trace.start > least;
    }));
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Statement> lines; // module, file, line
    for (auto [number, time] : segments) addLines(number, time, lines);
    std::vector<Statement> out;
    for (auto& [line, statement] : lines) out.push_back(statement);
    std::ranges::sort(out, std::ranges::greater(), &Statement::time);
    if (out.size() > kMostStatements) out.resize(kMostStatements);
    return out;
  }

  void addLines(uint32_t number, uint64_t time,
                std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Statement>& lines) {
    const depend::SegmentCode& s = history().code().segment(number);
    const fir::Image& image = history().code().image(s.module);
    const uint32_t base = history().code().base(s.module);
    for (uint32_t k = 0; k < s.count; ++k) {
      const fir::Instruction& i = image.instructions[s.firstId - base + k];
      const bool asksOften = i.op == Op::Call || i.op == Op::Store || i.op == Op::StoreVar;
      bool isHooked = asksOften || i.op == Op::CondBr || i.op == Op::Switch || i.op == Op::Load;
      if (!isHooked || !i.location || !isOwn_(s.firstId + k)) continue;
      const fir::Location& at = image.locations[i.location];
      auto [known, isNew] =
          lines.try_emplace({s.module, at.file, at.line}, Statement{s.firstId + k, time, asksOften});
      if (isNew) continue;
      Statement& statement = known->second;
      statement.time = std::max(statement.time, time);
      if (s.firstId + k >= statement.id) continue;
      statement.id = s.firstId + k;
      statement.asksOften = asksOften;
    }
  }

  // "o->column"
  Result<std::string> nameOf(const Read& read) {
    FL_TRY(text, describeInstance(history().replay(), read.time, read.id));
    return text.value && !text.value->name.empty() ? text.value->name : std::string("what is read");
  }

  static std::string numberText(const Read& read, uint64_t value) {
    if (read.isPointer) return value ? fmt::format("{:#x}", value) : "NULL";
    if (read.bits == 8 && value >= ' ' && value < 127) return fmt::format("'{}'", char(value));
    uint64_t sign = uint64_t(1) << (read.bits - 1);
    return fmt::format("{}", int64_t((value ^ sign) - sign));
  }

  // Where there is no statement before which it could be set: what should have been read.
  Result<void> addOnce() {
    std::set<uint32_t> told;
    for (const Repair& repair : repairs_) {
      const Read& read = reads_[repair.read];
      if (told.size() >= kMostOnce || stop_) break;
      if (!isOwn_(read.id) || !told.insert(read.id).second) continue;
      FL_TRY(name, nameOf(read));
      FoundChange found{
          read.id,
          {replaced(read, repair.value), ChangeForm::Once,
           fmt::format("if `{}` had been {} instead of {} in one execution", name,
                       numberText(read, repair.value), numberText(read, read.value & maskOf(read.bits)))},
          false,
          repair.share};
      FL_CHECK(add(std::move(found)));
    }
    return {};
  }

  Result<void> add(FoundChange found) {
    constexpr size_t kMostConfirmed = 40;
    if (++confirmed_ > kMostConfirmed) return {};
    FL_TRY(outcome, trials_.runAlone({.alterations = {found.proposal.alteration}}));
    bool passes = outcome.ending.cut == Ending::None && outcome.verdict == Verdict::Passed;
    if (passes) found.reaches = trials_.judge().reaches(outcome.ending);
    if (passes) found.strays = trials_.judge().strays(outcome.ending);
    found.confirmed = passes || (found.share < 1 && trials_.judge().progress(outcome.ending) >= found.share);
    (found.share >= 1 ? result_.found : result_.partial).push_back(std::move(found));
    return {};
  }

  depend::Instances& instances_;
  experiment::Trials& trials_;
  const ChangeOptions& options_;
  const std::function<bool(uint32_t)>& isOwn_;
  ChangeResult& result_;
  std::vector<Read> reads_;
  std::map<uint32_t, std::set<uint64_t>> seen_; // by instruction: what it read
  std::vector<Repair> repairs_;                 // the best first
  std::vector<FoundChange> inserted_;           // not confirmed yet
  size_t confirmed_ = 0;
  bool stop_ = false;
};

} // namespace

Result<void> searchAssignments(depend::Instances& instances, const depend::Slice& slice,
                               experiment::Trials& trials, const ChangeOptions& options,
                               const std::function<bool(uint32_t id)>& isOwn, ChangeResult& result) {
  return AssignmentSearch(instances, trials, options, isOwn, result).run(slice);
}

} // namespace faultline::technique
