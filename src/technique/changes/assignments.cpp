#include "technique/changes/assignments.h"

#include "technique/changes/insertion_trials.h"
#include "technique/instance_text.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <map>
#include <set>

namespace faultline::technique {

using experiment::Alteration;
using fir::Op;

namespace {

constexpr size_t kMostReads = 2500;     // instances that are given other values
constexpr size_t kMostLooked = 15000;   // instances of which is asked what they read
constexpr size_t kMostOfOne = 48;       // of one instruction
constexpr size_t kMostOthers = 3;       // values that the instruction read at other times
constexpr size_t kMostCells = 12;       // places and times in memory for which an assignment is looked for
constexpr size_t kMostOfCell = 4;       // times of one of them
constexpr size_t kMostCounters = 8;     // for which a count is
constexpr size_t kMostStatements = 800; // before which it might stand
constexpr size_t kMostOnce = 5;
constexpr uint64_t kBeside = 256;           // bytes: most likely the same object
constexpr uint64_t kFarEnough = 20'000'000; // instructions

struct Read {
  uint64_t time = 0;
  uint32_t id = 0;
  unsigned round = 0; // the latest of each instruction first, then where it read something else, then more
  uint64_t epoch = 0, value = 0;
  uint32_t bits = 0;
  bool isPointer = false, isMemory = false;
  uint64_t address = 0, size = 0; // what it read, if that is a cell of memory that may be set; else size 0
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
  uint64_t count = 0;     // executions
  uint64_t stored = 0;    // when it last assigned something; 0: it does not
};

class AssignmentSearch {
public:
  AssignmentSearch(depend::Instances& instances, experiment::Trials& trials, const ChangeOptions& options,
                   const std::function<bool(uint32_t)>& isOwn, ChangeResult& result)
      : instances_(instances), trials_(trials, options, result), isOwn_(isOwn), result_(result) {}

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
      if (seen[node.id]++ >= kMostOfOne) continue;
      reads_.push_back({.time = node.time,
                        .id = node.id,
                        .bits = isPointer ? 64 : type.bits,
                        .isPointer = isPointer,
                        .isMemory = i.op == Op::Load});
    }
    std::ranges::sort(reads_, {}, &Read::time);
    if (reads_.size() > kMostLooked) reads_.erase(reads_.begin(), reads_.end() - kMostLooked);
    for (Read& read : reads_) {
      FL_TRY(x, instances_.at(read.time));
      read.value = x.value;
      seen_[read.id].insert(read.value);
      if (!read.isMemory) continue;
      FL_TRY(access, instances_.access(read.time));
      if (access && access->size <= sizeof(uint64_t))
        read.address = access->address, read.size = access->size;
    }
    chooseReads();
    for (Read& read : reads_) {
      FL_TRY(epoch, epochAt(read.time));
      read.epoch = epoch;
    }
    std::ranges::sort(reads_, std::ranges::greater(), &Read::time);
    return {};
  }

  // A value that should not be there is another than what was read at most times, and not the last of all: of
  // each instruction an execution for each of its values comes before a second one for any.
  void chooseReads() {
    std::map<uint32_t, std::map<uint64_t, size_t>> values; // by instruction: how often, the latest first
    std::ranges::sort(reads_, std::ranges::greater(), &Read::time);
    for (Read& read : reads_) {
      std::map<uint64_t, size_t>& known = values[read.id];
      const size_t others = known.size(), times = known[read.value]++;
      read.round = unsigned(std::bit_width(times ? times + others : others) + 1) / 2 + (times != 0);
    }
    std::ranges::sort(reads_, {}, [](const Read& r) { return std::pair(r.round, ~r.time); });
    if (reads_.size() > kMostReads) reads_.resize(kMostReads);
    std::ranges::sort(reads_, {}, &Read::time);
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

  // Gives each read other values, and leaves them in memory: what reads it next would repeat the fault.
  Result<void> tryValues() {
    InsertionTrials::Batch batch;
    std::vector<Repair> made;
    for (size_t k = 0; k < reads_.size(); ++k)
      for (uint64_t value : othersThan(reads_[k])) {
        batch.push_back({made.size(), {.alterations = replaced(reads_[k], value)}});
        made.push_back({k, value, 0});
      }
    FL_CHECK(trials_.run(std::move(batch), [&](size_t number, double share) {
      repairs_.push_back(made[number]);
      repairs_.back().share = share;
    }));
    // What is forgotten is mostly to begin anew: with a value that was read there at another time.
    std::ranges::sort(repairs_, {}, [&](const Repair& r) {
      bool isKnown = seen_.at(reads_[r.read].id).contains(r.value);
      return std::tuple(!isKnown, -r.share, r.value != 0, r.read, r.value);
    });
    return {};
  }

  static std::vector<Alteration> replaced(const Read& read, uint64_t value) {
    std::vector<Alteration> out;
    if (read.size) {
      out.push_back({.kind = Alteration::WriteMemory, .epoch = read.epoch, .instruction = read.id});
      out.back().address = read.address;
      out.back().bytes.assign(reinterpret_cast<const char*>(&value), size_t(read.size));
    }
    out.push_back(
        {.kind = Alteration::ReplaceValue, .epoch = read.epoch, .instruction = read.id, .value = value});
    return out;
  }

  Result<void> tryAssignments() {
    std::map<std::pair<uint64_t, uint64_t>, std::set<uint64_t>> tried; // address, value: since when it was so
    size_t cells = 0;
    for (const Repair& repair : repairs_) {
      const Read& read = reads_[repair.read];
      if (!read.size || cells >= kMostCells || trials_.isStopped()) continue;
      std::set<uint64_t>& since = tried[{read.address, repair.value}];
      FL_TRY(written, writtenBefore(read.time));
      FL_TRY(isInput, isInputAt(read, written));
      if (isInput) continue; // another input has another end: nobody forgot to change it
      if (since.size() >= kMostOfCell || !since.insert(written).second) continue;
      ++cells;
      FL_CHECK(tryToSet(read, written, repair.value));
    }
    if (!anyPasses()) FL_CHECK(tryToCount());
    const bool isRepaired = anyPasses();
    for (FoundChange& found : inserted_)
      if (!isRepaired || found.effect.passes()) FL_CHECK(trials_.add(found, {found.proposal.alteration}));
    return {};
  }

  bool anyPasses() const {
    return std::ranges::any_of(inserted_, [](const FoundChange& c) { return c.effect.passes(); });
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

  // What a call of the library wrote: what was read from a file, the copy of an argument. Memory that it
  // cleared is none.
  Result<bool> isInputAt(const Read& read, uint64_t written) {
    if (written == 0 || read.value == 0) return false;
    FL_TRY(x, instances_.at(written));
    return x.instruction && x.instruction->op == Op::Call;
  }

  Result<void> tryToSet(const Read& read, uint64_t written, uint64_t value) {
    FL_TRY(epoch, epochAt(written));
    FL_TRY(name, nameOf(read));
    Alteration set{.kind = Alteration::WriteMemory, .epoch = std::max<uint64_t>(1, epoch)};
    set.bytes.assign(reinterpret_cast<const char*>(&value), size_t(read.size));
    return tryBefore(read, written, std::move(set), fmt::format("{} = {}", name, numberText(read, value)));
  }

  // A number that is too small, or too large: is it not counted somewhere?
  Result<void> tryToCount() {
    std::set<uint64_t> counters;
    for (const Read& read : reads_) {
      if (counters.size() >= kMostCounters || trials_.isStopped()) break;
      if (!read.size || read.isPointer || read.bits < 8) continue;
      if (!counters.insert(read.address).second) continue;
      FL_TRY(name, nameOf(read));
      for (int64_t by : {1, -1}) {
        Alteration count{.kind = Alteration::AddToMemory, .epoch = 1, .value = uint64_t(by)};
        count.bytes.assign(size_t(read.size), '\0');
        FL_CHECK(tryBefore(read, 0, std::move(count), name + (by > 0 ? "++" : "--")));
      }
    }
    return {};
  }

  // The assignment before each statement that was executed from then on until the cell was read.
  Result<void> tryBefore(const Read& read, uint64_t from, Alteration assignment, const std::string& text) {
    assignment.address = read.address;
    assignment.each = true;
    FL_TRY(statements, statementsBetween(from, read.time));
    InsertionTrials::Batch batch;
    for (size_t k = 0; k < statements.size(); ++k) {
      assignment.instruction = statements[k].id;
      assignment.slot = statements[k].asksOften ? FL_SLOT_BEFORE : 0;
      batch.push_back({k, {.alterations = {assignment}}});
    }
    std::vector<std::pair<size_t, double>> improved;
    InsertionTrials::Batch asked = batch;
    FL_CHECK(trials_.run(std::move(asked), [&](size_t k, double share) { improved.push_back({k, share}); }));
    FL_CHECK(orderPlaces(statements, read, improved));
    for (auto [k, share] : improved) {
      inserted_.push_back({statements[k].id,
                           {batch[k].experiment.alterations[0], ChangeForm::Inserted,
                            fmt::format("if `{}` came before it", text), "", text + ";"},
                           false,
                           {.share = share}});
    }
    return {};
  }

  // What belongs together is set together: first come lines that assign another member by the same name of
  // the struct, then those that assign a neighbour in memory, those that are seldom executed before others.
  // Else a value begins anew where what it was for has ended, or where the next begins: from both ends
  // inwards.
  Result<void> orderPlaces(const std::vector<Statement>& statements, const Read& read,
                           std::vector<std::pair<size_t, double>>& places) {
    FL_TRY(own, nameOf(read));
    std::ranges::sort(places);
    std::vector<std::tuple<bool, uint64_t, size_t, double>> beside; // of another name, executions, place
    std::vector<std::pair<size_t, double>> others;
    for (auto [k, share] : places) {
      const Statement& statement = statements[k];
      FL_TRY(name, nameBeside(statement, read));
      if (name)
        beside.push_back(
            {structIn(*name).empty() || structIn(*name) != structIn(own), statement.count, k, share});
      else
        others.push_back({k, share});
    }
    std::ranges::sort(beside);
    places.clear();
    for (auto [isOther, count, k, share] : beside) places.push_back({k, share});
    for (size_t n = 0; n < others.size(); ++n)
      places.push_back(others[n % 2 ? n / 2 : others.size() - 1 - n / 2]);
    return {};
  }

  // What the statement assigns, if that lies beside what the read has read; it may have no name.
  Result<std::optional<std::string>> nameBeside(const Statement& statement, const Read& read) {
    if (!statement.stored) return std::optional<std::string>();
    FL_TRY(access, instances_.access(statement.stored));
    if (!access || access->address + kBeside <= read.address || access->address >= read.address + kBeside)
      return std::optional<std::string>();
    FL_TRY(x, instances_.at(statement.stored));
    FL_TRY(text, describeInstance(history().replay(), statement.stored, x.id));
    return std::optional(text.value ? text.value->name : std::string());
  }

  // "b->" of "b->column".
  static std::string_view structIn(std::string_view name) {
    const size_t at = name.find_last_of(".>");
    return at == name.npos ? std::string_view() : name.substr(0, at + 1);
  }

  // One instruction of each line that was executed in between and that asks whether to be altered, the
  // latest first.
  Result<std::vector<Statement>> statementsBetween(uint64_t from, uint64_t to) {
    struct Executions {
      uint64_t last = 0, count = 0;
    };
    std::map<uint32_t, Executions> segments; // by first instruction
    uint64_t least = to > kFarEnough ? std::max(from, to - kFarEnough) : from;
    FL_CHECK(history().backwards(to, [&](const depend::Window& window) {
      uint64_t time = window.trace.start;
      auto pass = [&](uint32_t segment, uint64_t count) {
        if (time + count > from && time < to) {
          Executions& known = segments[segment];
          known.last = std::max(known.last, time);
          ++known.count;
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
    for (auto [number, executions] : segments) addLines(number, executions.last, executions.count, lines);
    std::vector<Statement> out;
    for (auto& [line, statement] : lines) out.push_back(statement);
    std::ranges::sort(out, std::ranges::greater(), &Statement::time);
    if (out.size() > kMostStatements) out.resize(kMostStatements);
    return out;
  }

  void addLines(uint32_t number, uint64_t time, uint64_t count,
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
      Statement& statement = known->second;
      statement.count = std::max(statement.count, count);
      if (i.op == Op::Store) statement.stored = std::max(statement.stored, time + k);
      if (isNew) continue;
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
      if (told.size() >= kMostOnce || trials_.isStopped()) break;
      if (!isOwn_(read.id) || !told.insert(read.id).second) continue;
      FL_TRY(name, nameOf(read));
      std::vector<Alteration> made = replaced(read, repair.value);
      FoundChange found{
          read.id,
          {made.back(), ChangeForm::Once,
           fmt::format("if `{}` had been {} instead of {} in one execution", name,
                       numberText(read, repair.value), numberText(read, read.value & maskOf(read.bits)))},
          false,
          {.share = repair.share}};
      FL_CHECK(trials_.add(std::move(found), std::move(made)));
    }
    return {};
  }

  depend::Instances& instances_;
  InsertionTrials trials_;
  const std::function<bool(uint32_t)>& isOwn_;
  ChangeResult& result_;
  std::vector<Read> reads_;
  std::map<uint32_t, std::set<uint64_t>> seen_; // by instruction: what it read
  std::vector<Repair> repairs_;                 // the best first
  std::vector<FoundChange> inserted_;           // not confirmed yet
};

} // namespace

Result<void> searchAssignments(depend::Instances& instances, const depend::Slice& slice,
                               experiment::Trials& trials, const ChangeOptions& options,
                               const std::function<bool(uint32_t id)>& isOwn, ChangeResult& result) {
  return AssignmentSearch(instances, trials, options, isOwn, result).run(slice);
}

} // namespace faultline::technique
