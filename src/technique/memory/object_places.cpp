#include "technique/memory/object_places.h"

#include "finding/describe_stop.h"
#include "replay/replay.h"
#include "technique/call_sites.h"
#include "technique/instance_text.h"

namespace faultline::technique {

using depend::MemoryObject;
using replay::FrameView;

namespace {

constexpr size_t kMostCallers = 3;

struct Caller {
  finding::Place place = {};
  bool passesOn = false; // it was itself given what it gives to malloc or free
};

bool isPointerOrNumber(fir::TypeKind kind) {
  return kind == fir::TypeKind::Int || kind == fir::TypeKind::Pointer;
}

// Whether the function was given `value`, or, as calloc is, two numbers of which it is the product.
bool wasGiven(const FrameView& frame, uint64_t value) {
  std::vector<uint64_t> given;
  for (const fir::Argument& a : frame.image->argumentsOf(frame.image->functions[frame.function]))
    if (isPointerOrNumber(frame.image->types[a.type].kind) && a.word < frame.words.size())
      given.push_back(frame.words[a.word]);
  for (size_t k = 0; k < given.size(); ++k) {
    if (given[k] == value) return true;
    for (size_t n = 0; n < k; ++n)
      if (given[k] > 1 && given[n] > 1 && given[k] * given[n] == value) return true;
  }
  return false;
}

// A function that gives back, or makes larger, for whoever calls it, what belongs to its argument: it may be
// wrong to call it, or not to.
bool servesMany(const replay::Replay& replay, const FrameView& frame) {
  const fir::Function& f = frame.image->functions[frame.function];
  return isCalledByMany(replay, frame) &&
         std::ranges::any_of(frame.image->argumentsOf(f), [&](const fir::Argument& a) {
           return frame.image->types[a.type].kind == fir::TypeKind::Pointer;
         });
}

bool isCallOfRealloc(depend::RunCode& code, uint32_t id) {
  const depend::RunCode::Where at = code.where(id);
  if (!at) return false;
  const fir::Image& image = *at.module->image;
  const fir::Instruction& call = image.instructions[at.local];
  if (call.op != fir::Op::Call || image.calls[call.aux].symbol == fir::kNone) return false;
  return image.string(image.symbols[image.calls[call.aux].symbol].name).starts_with("realloc");
}

// The program's own code on the stack at that time, from inside out.
std::vector<Caller> callersAt(depend::History& history, uint32_t id, uint64_t time, uint64_t value,
                              const AccessingFunction& access, std::string_view cwd, bool isOfOthers) {
  std::vector<Caller> out;
  if (!history.replay().seek(time)) {
    if (finding::Place place = placeOf(history.code(), id, cwd); place.isKnown()) out.push_back({place});
    return out;
  }
  bool isInnermost = true;
  for (const FrameView& frame : history.replay().frames()) {
    finding::Place place = isInnermost ? placeOf(history.code(), id, cwd) : finding::placeOf(frame, cwd);
    isInnermost = false;
    if (!place.isKnown() || finding::isLibraryFrame(place) || frame.function == fir::kNone) continue;
    bool isAccessing = frame.module == access.module && frame.function == access.function;
    out.push_back({std::move(place),
                   !isAccessing && !frame.fromOutside &&
                       (wasGiven(frame, value) || (isOfOthers && servesMany(history.replay(), frame)))});
  }
  return out;
}

// The first who does not pass it on; if all do, the innermost.
size_t whoAsked(const std::vector<Caller>& callers) {
  for (size_t k = 0; k < callers.size(); ++k)
    if (!callers[k].passesOn) return k;
  return 0;
}

std::vector<finding::Place> callsBehind(const std::vector<Caller>& callers, size_t who) {
  std::vector<finding::Place> out;
  for (size_t n = who + 1; n < callers.size() && out.size() < kMostCallers; ++n)
    out.push_back(callers[n].place);
  return out;
}

} // namespace

ObjectPlaces placesOf(depend::History& history, const MemoryObject& o, const AccessingFunction& access,
                      std::string_view cwd) {
  ObjectPlaces out;
  if (o.kind == MemoryObject::Heap && o.madeBy != ~0u) {
    const bool isResized = isCallOfRealloc(history.code(), o.madeBy);
    std::vector<Caller> callers = callersAt(history, o.madeBy, o.madeAt, o.size, access, cwd, isResized);
    size_t k = whoAsked(callers);
    if (k < callers.size()) out.made = callers[k].place;
    if (k > 0) out.madeWithin = callers[0].place;
    out.madeFor = callsBehind(callers, k);
  }
  if (o.state != MemoryObject::Alive && o.endedBy != ~0u) {
    bool isHeap = o.kind == MemoryObject::Heap;
    std::vector<Caller> callers = callersAt(history, o.endedBy, o.endedAt, o.start, access, cwd, isHeap);
    size_t k = isHeap ? whoAsked(callers) : 0;
    if (k < callers.size()) out.ended = callers[k].place;
    if (k > 0) out.endedWithin = callers[0].place;
    if (isHeap) out.endedFor = callsBehind(callers, k);
  }
  return out;
}

} // namespace faultline::technique
