#include "technique/memory/describe.h"

#include "finding/describe_stop.h"
#include "replay/object_names.h"
#include "replay/scalar_text.h"
#include "replay/source_expression.h"
#include "replay/symbol_name.h"
#include "technique/instance_text.h"
#include "technique/memory/object_places.h"

#include <array>
#include <filesystem>

namespace faultline::technique {

using depend::MemoryError;
using depend::MemoryObject;
using finding::MemoryErrorInfo;
using finding::MemoryObjectInfo;
using fir::Op;
using replay::FrameView;

namespace {

std::string bytesText(uint64_t size) { return size == 1 ? "1 byte" : fmt::format("{} bytes", size); }

std::string shortPlace(const finding::Place& place) {
  return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
}

class Describer {
public:
  Describer(depend::History& history, const MemoryError& error, std::string_view cwd, ObjectPlaces object,
            ObjectPlaces other)
      : history_(history), replay_(history.replay()), error_(error), cwd_(cwd), places_(std::move(object)),
        otherPlaces_(std::move(other)), frames_(replay_.frames()),
        names_(replay_.symbolView(), frames_, replay_.memoryView()) {}

  MemoryErrorInfo describe() {
    MemoryErrorInfo out;
    out.kind = kindName();
    out.time = error_.time;
    replay::Instance at = replay_.current();
    out.instance = fmt::format("{}:{}", at.epoch, error_.id);
    place(out);
    out.by = error_.function.empty() ? "" : replay::functionName(error_.function);
    if (error_.object) out.object = objectInfo(*error_.object, places_);
    bool isAccess = error_.kind <= MemoryError::Returned;
    if (isAccess) {
      out.access = error_.isWrite ? "write" : "read";
      out.size = error_.size;
    }
    if (error_.object && error_.kind != MemoryError::Uninitialised)
      out.offset = int64_t(error_.address - error_.object->start);
    expression(out);
    if (error_.kind == MemoryError::Outside) out.fellOn = whatLiesThere();
    out.text = sentence(out);
    return out;
  }

private:
  const char* kindName() const {
    switch (error_.kind) {
    case MemoryError::Outside:
      return "out-of-bounds";
    case MemoryError::Freed:
    case MemoryError::Moved:
      return "use-after-free";
    case MemoryError::Returned:
      return "use-after-return";
    case MemoryError::DoubleFree:
      return "double-free";
    case MemoryError::BadFree:
      return "bad-free";
    case MemoryError::Uninitialised:
      return "uninitialised";
    }
    return "";
  }

  // The program's own line; library code in headers did what that asked for.
  void place(MemoryErrorInfo& out) const {
    out.place = placeOf(history_.code(), error_.id, cwd_);
    if (!finding::isLibraryFrame(out.place) && out.place.isKnown()) return;
    for (size_t k = 1; k < frames_.size(); ++k) {
      finding::Place outer = finding::placeOf(frames_[k], cwd_);
      if (finding::isLibraryFrame(outer) || !outer.isKnown()) continue;
      out.within = out.place;
      out.place = outer;
      return;
    }
  }

  // ---- objects

  MemoryObjectInfo objectInfo(const MemoryObject& o, const ObjectPlaces& places) const {
    MemoryObjectInfo out;
    out.size = o.size;
    switch (o.kind) {
    case MemoryObject::Heap:
      out.kind = "heap";
      out.made = places.made;
      out.madeWithin = places.madeWithin;
      out.madeFor = places.madeFor;
      if (o.madeBy != ~0u) out.madeAt = o.madeAt;
      if (o.state == MemoryObject::Freed && o.endedBy != ~0u) out.endedAt = o.endedAt;
      break;
    case MemoryObject::Local:
      out.kind = "local";
      localName(o, out);
      break;
    case MemoryObject::Global:
      out.kind = "global";
      globalName(o, out);
      break;
    }
    out.ended = places.ended;
    out.endedWithin = places.endedWithin;
    out.endedFor = places.endedFor;
    out.text = objectText(o, out);
    return out;
  }

  void localName(const MemoryObject& o, MemoryObjectInfo& out) const {
    depend::RunCode::Where at = history_.code().where(o.madeBy);
    if (!at) return;
    const fir::Image& image = *at.module->image;
    const fir::Function& f = image.functions[at.function];
    out.function = replay::functionName(std::string(image.string(f.name)));
    const fir::Instruction& i = image.instructions[at.local];
    for (const fir::Variable& v : image.variables.subspan(f.firstVariable, f.variableCount)) {
      bool isIt =
          v.home == fir::Home::Frame && i.op == Op::Alloca ? v.offset == i.imm : v.instruction == at.local;
      if (!isIt) continue;
      out.name = image.string(v.name);
      if (!v.location) return;
      finding::Place place;
      place.file = image.sourcePath(image.locations[v.location]);
      if (!place.file.starts_with("/") && !cwd_.empty()) place.file = std::string(cwd_) + "/" + place.file;
      place.line = image.locations[v.location].line;
      place.column = image.locations[v.location].column;
      place.function = out.function;
      if (place.isKnown()) out.made = place;
      return;
    }
  }

  void globalName(const MemoryObject& o, MemoryObjectInfo& out) const {
    if (auto name = names_.find(o.start, 0); name && name->start == o.start) out.name = name->object;
  }

  std::string objectText(const MemoryObject& o, const MemoryObjectInfo& info) const {
    switch (o.kind) {
    case MemoryObject::Heap:
      return fmt::format("the {}-byte block{}", o.size,
                         info.made ? " allocated at " + shortPlace(*info.made) : "");
    case MemoryObject::Local:
      if (info.name.empty()) return fmt::format("a {}-byte variable of {}()", o.size, info.function);
      return fmt::format("{} ({}) of {}()", info.name, bytesText(o.size), info.function);
    case MemoryObject::Global:
      if (info.name.starts_with("\"")) return fmt::format("the text {} ({})", info.name, bytesText(o.size));
      return fmt::format("{} ({})", info.name.empty() ? "a global" : info.name, bytesText(o.size));
    }
    return "";
  }

  std::string whatLiesThere() const {
    uint64_t first = depend::firstOutside(error_);
    if (error_.other && (!error_.object || error_.other->start != error_.object->start))
      return objectInfo(*error_.other, otherPlaces_).text;
    auto name = names_.find(first, 1);
    if (!name || !name->isInside() || (error_.object && name->start == error_.object->start)) return "";
    if (name->kind == replay::ObjectName::Kind::Heap) return "";
    std::string text = name->part.empty() ? name->object : name->part;
    return name->owner.empty() ? text : fmt::format("{} of {}()", text, name->owner);
  }

  // ---- the access

  const fir::Instruction* instruction() const {
    if (frames_.empty() || frames_[0].instruction == fir::kNone) return nullptr;
    const replay::LoadedModule& module = *replay_.program().modules()[frames_[0].module];
    if (module.base + frames_[0].instruction != error_.id) return nullptr;
    return &frames_[0].image->instructions[frames_[0].instruction];
  }

  void expression(MemoryErrorInfo& out) const {
    const fir::Instruction* i = instruction();
    if (!i) return;
    std::span<const fir::Operand> operands = frames_[0].image->operandsOf(*i);
    switch (i->op) {
    case Op::Load:
    case Op::Store:
      if (auto access = replay::sourceAccess(frames_[0], operands[0])) {
        out.expression = access->text;
        for (const replay::Ingredient& part : access->from)
          if (!part.isPointer) addValue(out, part.text, part.operand, part.bits, part.type);
      }
      return;
    case Op::Copy:
    case Op::Fill:
      if (auto text = replay::sourceValue(frames_[0], operands[error_.isWrite || i->op == Op::Fill ? 0 : 1]))
        out.expression = withoutFirst(text->text);
      if (auto size = replay::sourceValue(frames_[0], operands[2]))
        addValue(out, size->text, operands[2], 64, size->type);
      return;
    case Op::CondBr:
    case Op::Switch:
      if (auto text = replay::sourceValue(frames_[0], operands[0])) out.expression = text->text;
      return;
    case Op::Call:
      if (error_.argument && error_.argument < operands.size())
        if (auto text = replay::sourceValue(frames_[0], operands[error_.argument]))
          out.expression = text->text;
      return;
    default:
      return;
    }
  }

  void addValue(MemoryErrorInfo& out, const std::string& name, fir::Operand operand, unsigned bits,
                replay::TypeRef type) const {
    if (name.empty() || fir::operandKind(operand) != fir::OperandKind::Word) return;
    auto value = replay::operandValue(frames_[0], replay_.symbolView(), operand);
    if (!value) return;
    bool isUnsigned = type.stripped().kind() == fir::DebugKind::UnsignedInt;
    uint64_t shown = bits < 64 ? *value & ((uint64_t(1) << bits) - 1) : *value;
    std::string text = isUnsigned || bits == 0 || bits > 64
                           ? fmt::format("{}", shown)
                           : fmt::format("{}", int64_t(shown << (64 - bits)) >> (64 - bits));
    out.values.push_back({name, type.get() ? replay::typeName(type) : "", text});
  }

  // ---- sentences

  std::string where(const MemoryErrorInfo& e) const {
    int64_t offset = *e.offset;
    const std::string& object = e.object->text;
    if (offset < 0) return fmt::format("at offset {} of {}, before its start", offset, object);
    if (uint64_t(offset) > e.object->size)
      return fmt::format("at offset {} of {}, {} past its end", offset, object,
                         bytesText(uint64_t(offset) - e.object->size));
    if (uint64_t(offset) < e.object->size)
      return fmt::format("at offset {} of {}, {} too many", offset, object,
                         bytesText(uint64_t(offset) + error_.size - e.object->size));
    return fmt::format("at offset {} of {}, just past its end", offset, object);
  }

  // Of an address, the array that begins there.
  static std::string withoutFirst(std::string text) {
    if (text.starts_with("&") && text.ends_with("[0]")) return text.substr(1, text.size() - 4);
    return text;
  }

  std::string subject(const MemoryErrorInfo& e) const {
    const fir::Instruction* i = instruction();
    if (i && e.by.empty() && i->op == Op::Copy)
      return fmt::format("copying {} `{}` ", error_.isWrite ? "to" : "from", e.expression);
    if (i && e.by.empty() && i->op == Op::Fill) return fmt::format("filling `{}` ", e.expression);
    return e.by.empty() ? e.expression.empty() ? "" : fmt::format("`{}` ", e.expression) : e.by + "() ";
  }

  std::string sentence(const MemoryErrorInfo& e) const {
    std::string verb = error_.isAllowed ? "may write" : error_.isWrite ? "writes" : "reads";
    std::string what = fmt::format("{}{} {}", subject(e), verb, bytesText(error_.size));
    std::string object = e.object ? e.object->text : "an object that is gone";
    std::string ended = e.object && e.object->ended ? " at " + shortPlace(*e.object->ended) : "";
    switch (error_.kind) {
    case MemoryError::Outside: {
      if (int64_t(error_.size) < 0)
        return fmt::format("{}has a negative size, {}", subject(e), int64_t(error_.size));
      std::string on = e.fellOn.empty() ? "" : fmt::format("; {} lies there", e.fellOn);
      std::string values;
      for (const finding::Value& v : e.values) values += fmt::format("; {} = {}", v.name, v.text);
      return fmt::format("{} {}{}{}", what, where(e), values, on);
    }
    case MemoryError::Freed:
      return fmt::format("{} {}{}, which was freed{}", what,
                         e.offset ? fmt::format("at offset {} of ", *e.offset) : "in ", object, ended);
    case MemoryError::Moved:
      return fmt::format("{} at offset {} of {}, which realloc() had moved{}", what, e.offset.value_or(0),
                         object, ended);
    case MemoryError::Returned:
      return fmt::format("{} at offset {} of {}, which had returned", what, e.offset.value_or(0), object);
    case MemoryError::DoubleFree:
      return fmt::format("{}gives back {}, which was freed before{}", subject(e), object, ended);
    case MemoryError::BadFree:
      if (e.object && e.object->kind == "heap")
        return fmt::format("{}gives back an address at offset {} of {}, not its start", subject(e),
                           e.offset.value_or(0), object);
      return fmt::format("{}gives back {}, which was never allocated", subject(e), object);
    case MemoryError::Uninitialised:
      return uninitialised(e);
    }
    return "";
  }

  std::string uninitialised(const MemoryErrorInfo& e) const {
    std::string what = e.expression.empty() ? "a value" : fmt::format("`{}`", e.expression);
    std::string read = readText();
    std::string which = read.empty() ? "something that was never given a value"
                                     : fmt::format("`{}`, which was never given a value", read);
    switch (error_.use) {
    case MemoryError::Branch:
      return fmt::format("{} is decided by {}", what, which);
    case MemoryError::Address:
      return fmt::format("{} is found by way of {}", what, which);
    case MemoryError::Argument:
      return fmt::format("{}() is given {}, as argument {}", e.by, which, error_.argument);
    case MemoryError::Text:
      return fmt::format("{}() reads a byte at offset {} of {} that was never written", e.by,
                         e.object ? error_.address - error_.object->start : 0,
                         e.object ? e.object->text : "an object");
    }
    return "";
  }

  // What was read without ever having been written, as the source names it.
  std::string readText() const {
    depend::RunCode::Where at = history_.code().where(error_.readBy);
    if (!at) return "";
    const fir::Image& image = *at.module->image;
    const fir::Instruction& i = image.instructions[at.local];
    FrameView frame;
    frame.image = &image;
    frame.function = at.function;
    frame.instruction = at.local;
    if (i.op == Op::LoadVar) {
      uint32_t word = fir::operandIndex(image.operandsOf(i)[0]);
      const fir::Function& f = image.functions[at.function];
      for (const fir::Variable& v : image.variables.subspan(f.firstVariable, f.variableCount))
        if (v.home == fir::Home::Word && v.word == word) return std::string(image.string(v.name));
      return "";
    }
    if (i.op != Op::Load) return "";
    auto access = replay::sourceAccess(frame, image.operandsOf(i)[0]);
    return access ? access->text : "";
  }

  depend::History& history_;
  replay::Replay& replay_;
  const MemoryError& error_;
  std::string_view cwd_;
  ObjectPlaces places_, otherPlaces_;
  std::vector<FrameView> frames_;
  replay::ObjectNames names_;
};

// What strcpy() wrote is as long as the text that it left, whatever replay knew of the source.
bool wroteLess(replay::Replay& replay, const MemoryError& error) {
  static constexpr std::array kTexts = {"strcpy",  "stpcpy",   "strcat", "strncat",
                                        "sprintf", "vsprintf", "fgets"};
  bool isText = error.isWrite && error.object && error.kind == MemoryError::Outside &&
                std::find(kTexts.begin(), kTexts.end(), error.function) != kTexts.end();
  if (!isText || !replay.seek(error.time + 1) || replay.now() <= error.time) return false;
  uint64_t end = error.object->start + error.object->size;
  for (uint64_t at = error.address; at < end; ++at) {
    uint8_t byte = 0;
    if (replay.memoryView().read(at, {&byte, 1}) && byte == 0) return true;
  }
  return false;
}

} // namespace

Result<std::optional<MemoryErrorInfo>> describeMemoryError(depend::History& history, const MemoryError& error,
                                                           std::string_view workingDirectory) {
  if (wroteLess(history.replay(), error)) return std::optional<MemoryErrorInfo>();
  AccessingFunction access;
  FL_CHECK(history.replay().seek(error.time));
  if (std::vector<FrameView> frames = history.replay().frames(); !frames.empty())
    access = {frames[0].module, frames[0].function};
  ObjectPlaces object, other;
  if (error.object) object = placesOf(history, *error.object, access, workingDirectory);
  if (error.other) other = placesOf(history, *error.other, access, workingDirectory);
  FL_CHECK(history.replay().seek(error.time));
  Describer describer(history, error, workingDirectory, std::move(object), std::move(other));
  return std::optional(describer.describe());
}

} // namespace faultline::technique
