// What outside calls do to objects. Of the functions named here everything that they do to memory is known;
// any other may have written whatever it was given the address of, and whatever lies there points to.
#include "depend/memory_walk.h"

#include <algorithm>

namespace faultline::depend {

struct MemoryWalk::Known {
  enum Heap : uint8_t { None, Allocate, Zeroed, Resize, ResizeArray, Duplicate, Free, Line, Usable };
  Heap heap = None;
  uint8_t size = 0;       // Allocate: the argument that tells it
  bool isExact = false;   // the model tells all that it reads and writes
  bool readsText = false; // what it reads decides what it does
  bool writes = false;    // to memory of the caller's
  bool moves = false;     // what is there, and does not follow where that leads
  int8_t prints = -1;     // from this argument on, values are printed
};

struct MemoryWalk::Call {
  const OutsideEffect& effect;
  std::vector<Word> arguments = {};
  Word result = {};
  uint64_t argument(size_t k) const { return k < effect.arguments.size() ? effect.arguments[k] : 0; }
  Provenance from(size_t k) const { return k < arguments.size() ? arguments[k].from : kNoObject; }
};

namespace {

struct Entry {
  const char* names;
  uint8_t heap, size;
  bool isExact, readsText;
  int8_t prints;
  bool writes = false, moves = false;
};

// clang-format off
constexpr Entry kEntries[] = {
  {"malloc valloc pvalloc _Znwm _Znam _ZnwmRKSt9nothrow_t _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t _ZnamSt11align_val_t", 1, 0, true, false, -1},
  {"aligned_alloc memalign", 1, 1, true, false, -1},
  {"calloc", 2, 0, true, false, -1},
  {"realloc", 3, 0, true, false, -1},
  {"reallocarray", 4, 0, true, false, -1},
  {"strdup __strdup strndup __strndup", 5, 0, true, true, -1},
  {"free cfree _ZdlPv _ZdaPv _ZdlPvm _ZdaPvm _ZdlPvSt11align_val_t _ZdlPvmSt11align_val_t _ZdaPvSt11align_val_t _ZdaPvmSt11align_val_t _ZdlPvRKSt9nothrow_t _ZdaPvRKSt9nothrow_t", 6, 0, true, false, -1},
  {"getline getdelim __getdelim", 7, 0, false, false, -1},
  {"malloc_usable_size", 8, 0, true, false, -1},
  {"memcpy memmove mempcpy memset bzero explicit_bzero __memcpy_chk __memmove_chk __mempcpy_chk __memset_chk "
   "strncpy stpncpy __strncpy_chk __stpncpy_chk fread fread_unlocked read __read_chk recv pread pread64", 0, 0, true, false, -1, true},
  {"memchr memcmp bcmp fwrite fwrite_unlocked write", 0, 0, true, false, -1},
  {"strcpy stpcpy strcat strncat __strcpy_chk __stpcpy_chk __strcat_chk __strncat_chk", 0, 0, true, true, -1, true},
  {"strlen strnlen strcmp strncmp strcasecmp strncasecmp "
   "strchr strrchr index rindex strstr strspn strcspn strpbrk atoi atol atoll atof strtol strtoul strtoll strtoull strtod "
   "__isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull", 0, 0, true, true, -1},
  {"puts fputs fputs_unlocked", 0, 0, true, true, -1},
  {"putchar putchar_unlocked putc fputc putc_unlocked", 0, 0, true, false, 0},
  {"printf", 0, 0, true, true, 1},
  {"fprintf dprintf __printf_chk", 0, 0, true, true, 2},
  {"sprintf", 0, 0, true, true, 2, true},
  {"snprintf", 0, 0, true, true, 3, true},
  {"__fprintf_chk", 0, 0, true, true, 3},
  {"__sprintf_chk", 0, 0, true, true, 4, true},
  {"__snprintf_chk", 0, 0, true, true, 5, true},
  {"asprintf", 0, 0, true, true, 2},
  {"__asprintf_chk", 0, 0, true, true, 3},
  {"vasprintf __vasprintf_chk", 0, 0, true, true, -1},
  {"vprintf vfprintf __vprintf_chk __vfprintf_chk", 0, 0, true, true, -1},
  {"vsprintf vsnprintf __vsprintf_chk __vsnprintf_chk", 0, 0, true, true, -1, true},
  {"wmemcpy wmemmove wmemset localtime_r gmtime_r", 0, 0, true, false, -1, true},
  // How long these texts are only the library has seen.
  {"wcscpy wcpcpy wcsncpy wcscat wcsncat", 0, 0, false, false, -1, true},
  {"swprintf vswprintf wcstombs iconv realpath getcwd inet_ntop readv recvmsg", 0, 0, false, false, -1, true},
  {"qsort qsort_r", 0, 0, true, false, -1, true, true},
  {"bsearch lfind", 0, 0, true, false, -1, false, true},
  {"lsearch", 0, 0, false, false, -1, true, true},
  {"fgets fgets_unlocked __fgets_chk gets scanf __isoc99_scanf __isoc23_scanf fscanf __isoc99_fscanf __isoc23_fscanf "
   "sscanf __isoc99_sscanf __isoc23_sscanf", 0, 0, true, false, -1, true},
  {"getenv secure_getenv fopen fopen64 fdopen fclose fflush feof ferror fileno fseek ftell rewind getc fgetc getchar ungetc "
   "open open64 close lseek access unlink exit _exit abort assert __assert_fail isatty setvbuf setlinebuf "
   "isalnum isalpha isdigit isspace isupper islower isprint ispunct isxdigit tolower toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc "
   "abs labs rand srand random srandom time clock perror strerror setlocale signal __errno_location _setjmp setjmp __sigsetjmp sigsetjmp longjmp _longjmp siglongjmp "
   "sin cos tan atan atan2 exp log log10 pow sqrt fabs floor ceil fmod", 0, 0, true, false, -1},
};
// clang-format on

} // namespace

static const std::unordered_map<std::string_view, const Entry*>& entries() {
  static const auto* all = [] {
    auto* made = new std::unordered_map<std::string_view, const Entry*>;
    for (const Entry& e : kEntries) {
      std::string_view names = e.names;
      while (!names.empty()) {
        size_t end = std::min(names.find(' '), names.size());
        if (end) made->emplace(names.substr(0, end), &e);
        names.remove_prefix(std::min(end + 1, names.size()));
      }
    }
    return made;
  }();
  return *all;
}

void MemoryWalk::outsideCall(const replay::TraceOther& o, const OutsideEffect* effect) {
  if (thread_->stack.empty()) return;
  Frame& frame = thread_->stack.back();
  const PointerSegment& site = code_.segment(o.segment);
  const PointerStep& p = site.steps.back();
  if (p.act != PointerAct::Call) return;
  static const OutsideEffect nothing;
  Call call{effect ? *effect : nothing};
  for (const AddressRange& range : call.effect.seen) memory_.define(range.address, range.size);
  Word* w = thread_->words.data() + frame.words;
  for (uint32_t n = 0; n < p.count; ++n) {
    const PointerOperand& a = site.operands[p.more + n];
    call.arguments.push_back({w[a.word].from | a.constant, w[a.word].undefined});
  }
  stepId_ = site.code->firstId + site.code->count - 1;
  stepTime_ = effect && effect->time != kNoTime ? effect->time : time_ ? time_ - 1 : 0;
  frame.calling = nullptr;
  Known known;
  auto it = entries().find(call.effect.function);
  // A program's own operator new, called by the library's, has made the block already.
  if (it != entries().end() && !(frame.isCalledBack && it->second->heap)) {
    const Entry& e = *it->second;
    known = {Known::Heap(e.heap), e.size, e.isExact, e.readsText, e.writes, e.moves, e.prints};
  }
  bool returned = o.from != 0;
  if (returned && known.isExact) checkCall(known, call);
  if (mayWriteUnchecked(known, call)) unchecked_.insert(call.effect.function);
  if (!returned || !heapCall(known, call)) {
    // First, since what it writes over may be the pointer that led it to an object (iconv's).
    if (!known.isExact || call.effect.isPartial) escapeArguments(call, known.moves);
    if (returned) applyFlows(call);
  }
  for (uint32_t j = 0; j < p.words; ++j) w[p.dst + j] = j ? Word{} : call.result;
}

// Nobody knows how far it writes; what it is given lies in an object of the program's. Of C++ only the names
// of templates would be told, and little is written there without a check of its own.
bool MemoryWalk::mayWriteUnchecked(const Known& known, const Call& call) const {
  const std::string& name = call.effect.function;
  if (known.isExact || known.heap || name.empty() || name.starts_with("_Z")) return false;
  return (known.writes || !call.effect.isModelled) && std::ranges::any_of(call.arguments, [&](const Word& a) {
           const MemoryObject* o = isObject(a.from) ? objects_.find(a.from) : nullptr;
           return o && o->kind == MemoryObject::Heap;
         });
}

void MemoryWalk::escapeArguments(const Call& call, bool isShallow) {
  std::vector<Provenance> open;
  for (const Word& a : call.arguments) open.push_back(a.from);
  escape(std::move(open), isShallow);
}

// The function at hand has called the program back, which compares for it, say.
bool MemoryWalk::onlyMoves(const PointerSegment& calling) const {
  const std::string_view name = code_.calleeOf(calling);
  auto it = entries().find(name);
  return it != entries().end() && it->second->moves;
}

// Outside code has had these objects, and may have written to them and to what they point to: it may even
// have freed what it found there and put something else in its place. Shallow: only to these objects.
void MemoryWalk::escape(std::vector<Provenance> open, bool isShallow) {
  constexpr uint64_t kMost = uint64_t(1) << 16; // bytes that are looked at
  uint64_t looked = 0;
  std::set<Provenance> seen;
  while (!open.empty()) {
    Provenance p = open.back();
    open.pop_back();
    MemoryObject* o = isObject(p) ? objects_.find(p) : nullptr;
    if (!o || o->state != MemoryObject::Alive || !seen.insert(p).second) continue;
    o->isForeign = true;
    uint64_t size = std::min(o->size, kLargestObject);
    if (looked < kMost)
      memory_.forEachPointer(o->start, std::min(size, kMost - looked), [&](Provenance& from) {
        if (!isShallow) open.push_back(from);
        from = kNoObject;
      });
    looked += size;
    memory_.define(o->start, size, true);
  }
}

// ---- the heap

// True: nothing else is to be said of the call.
bool MemoryWalk::heapCall(const Known& known, Call& call) {
  const OutsideEffect& e = call.effect;
  uint64_t result = e.result.value_or(0);
  auto make = [&](uint64_t size, bool isWritten) {
    if (!result) return;
    call.result.from = objects_.makeBlock(result, size, stepId_, stepTime_);
    if (isWritten || !options_.undefined || size > kLargestObject)
      memory_.define(result, std::min(size, kLargestObject));
    else
      memory_.undefine(result, size);
  };
  switch (known.heap) {
  case Known::None:
    return false;
  case Known::Allocate:
    make(call.argument(known.size), false);
    return true;
  case Known::Zeroed:
    make(call.argument(0) * call.argument(1), true);
    return true;
  case Known::Resize:
    call.result.from = moved(call, call.argument(1));
    return true;
  case Known::ResizeArray:
    call.result.from = moved(call, call.argument(1) * call.argument(2));
    return true;
  case Known::Duplicate: {
    uint64_t size = 0;
    bool isSizeKnown = !e.isPartial; // of a text from outside only what it changed is, which may lack the NUL
    for (const OutsideFlow& flow : e.flows)
      if (!flow.toResult && result && flow.address >= result) {
        size = std::max(size, flow.address + flow.size - result);
        isSizeKnown &= !flow.isSizeSeen;
      }
    if (!isSizeKnown || !size) return false;
    make(size, true);
    return true;
  }
  case Known::Free:
    release(call, 0);
    return true;
  case Known::Line: {
    // The buffer may have been given back, or have grown where it was.
    Word buffer = memory_.load(call.argument(0), 8);
    if (isObject(buffer.from)) objects_.end(buffer.from, MemoryObject::Unknown, ~0u, stepTime_);
    memory_.define(call.argument(0), 8);
    return false;
  }
  case Known::Usable:
    if (isObject(call.from(0)) && e.result) objects_.resize(call.from(0), result);
    return true;
  }
  return false;
}

// Of the argument; where its provenance is not known the address tells.
void MemoryWalk::release(Call& call, uint32_t argument) {
  uint64_t address = call.argument(argument);
  Provenance p = call.from(argument);
  if (!address) return;
  if (isUndefined(p))
    return useUndefined(call.arguments[argument], MemoryError::Argument, 1, call.effect.function);
  if (isObject(p)) {
    const MemoryObject* o = objects_.find(p);
    MemoryError error{.time = stepTime_, .id = stepId_, .address = address, .function = call.effect.function};
    if (o) error.object = *o;
    bool isGone = !o || o->state == MemoryObject::Freed || o->state == MemoryObject::Moved;
    if (o && o->state == MemoryObject::Unknown) return;
    if (o && o->kind == MemoryObject::Heap && isGone) {
      error.kind = MemoryError::DoubleFree;
      return add(std::move(error));
    }
    if (o && (o->kind != MemoryObject::Heap || o->start != address)) {
      error.kind = MemoryError::BadFree;
      return add(std::move(error));
    }
  }
  if (Provenance block = objects_.blockAt(address))
    objects_.end(block, MemoryObject::Freed, stepId_, stepTime_);
}

Provenance MemoryWalk::moved(Call& call, uint64_t size) {
  uint64_t from = call.argument(0), to = call.effect.result.value_or(0);
  Provenance old = from ? objects_.blockAt(from) : kNoObject;
  if (from && isObject(call.from(0)) && call.from(0) != old && (to || !call.effect.result)) {
    size_t before = errors_.size();
    release(call, 0); // of what is no block: the same mistake as to free it
    if (errors_.size() > before) old = kNoObject;
  }
  if (!to) {
    if (size == 0 && old) objects_.end(old, MemoryObject::Freed, stepId_, stepTime_);
    return kNoObject;
  }
  bool isFollowed = options_.undefined && size <= kLargestObject;
  uint64_t kept = old ? std::min(objects_.find(old)->size, size) : 0;
  // Where it was, pointers into it stay right: programs ask whether it has moved.
  if (old && from == to) {
    objects_.resize(old, size, stepId_, stepTime_);
    if (isFollowed && size > kept) memory_.undefine(to + kept, size - kept);
    return old;
  }
  if (old) {
    if (kept <= kLargestObject) memory_.copy(to, from, kept);
    objects_.end(old, MemoryObject::Moved, stepId_, stepTime_);
  }
  Provenance made = objects_.makeBlock(to, size, stepId_, stepTime_);
  if (from && !old) // nobody knows how much of it was copied
    memory_.define(to, std::min(size, kLargestObject));
  else if (isFollowed && size > kept)
    memory_.undefine(to + kept, size - kept);
  return made;
}

// ---- what the models say

void MemoryWalk::applyFlows(Call& call) {
  std::vector<Provenance> escaping;
  for (const OutsideFlow& flow : call.effect.flows) {
    if (flow.toResult) {
      call.result.from = resultOf(call, flow);
      continue;
    }
    if (flow.ifNoticed || flow.size > kLargestObject) {
      for (const Word& a : call.arguments) escaping.push_back(a.from);
      continue;
    }
    bool isCopy = flow.isBytewise && flow.sources.size() == 1 && flow.sources[0].kind == FlowSource::Memory &&
                  flow.sources[0].size == flow.size;
    if (isCopy)
      memory_.copy(flow.address, flow.sources[0].address, flow.size);
    else
      memory_.define(flow.address, flow.size);
  }
  if (!escaping.empty()) escape(std::move(escaping));
}

// strchr(s, c) gives a pointer into s.
Provenance MemoryWalk::resultOf(const Call& call, const OutsideFlow& flow) const {
  if (!call.effect.result) return kNoObject;
  for (const FlowSource& source : flow.sources) {
    if (source.kind != FlowSource::Argument || source.frame != 0) continue;
    Provenance p = call.from(source.argument);
    const MemoryObject* o = isObject(p) ? objects_.find(p) : nullptr;
    if (!o || o->state != MemoryObject::Alive) continue;
    uint64_t offset = *call.effect.result - o->start;
    if (offset <= o->size || *call.effect.result == call.argument(source.argument)) return p;
  }
  return kNoObject;
}

// ---- what is wrong with a call

void MemoryWalk::checkCall(const Known& known, Call& call) {
  const OutsideEffect& e = call.effect;
  checkDefined(known, call);
  if (known.heap == Known::Free || known.heap == Known::Resize || known.heap == Known::ResizeArray) return;
  const bool isLengthKnown = !e.isPartial && knowsArguments(call);
  // What is printed piece by piece into a buffer is one access.
  std::vector<std::pair<uint64_t, uint64_t>> written; // from, to
  for (const OutsideFlow& flow : e.flows) {
    if (known.writes && !e.isPartial && !flow.toResult && !flow.ifNoticed)
      written.push_back({flow.address, flow.address + flow.size});
    // Where nobody knows how much of it is read, its first byte is.
    for (const FlowSource& source : flow.sources)
      if (source.kind == FlowSource::Memory && source.frame == 0)
        checkRange(call, source.address, isLengthKnown ? source.size : std::min<uint64_t>(source.size, 1),
                   false);
  }
  checkLine(call);
  std::sort(written.begin(), written.end());
  for (size_t k = 0; k < written.size(); ++k) {
    bool goesOn = k + 1 < written.size() && written[k].second >= written[k + 1].first;
    if (goesOn && std::ranges::find(e.arguments, written[k + 1].first) == e.arguments.end()) {
      written[k + 1] = {written[k].first, std::max(written[k].second, written[k + 1].second)};
      continue;
    }
    checkRange(call, written[k].first, written[k].second - written[k].first, true);
  }
}

// How long a line was, the program shows only by reading to its end; and where it was written over the stream
// itself, the call says that there was none. It may have been as long as was asked for.
void MemoryWalk::checkLine(Call& call) {
  const OutsideEffect& e = call.effect;
  if (!e.function.starts_with("fgets") && e.function != "__fgets_chk") return;
  const bool isLengthKnown = !e.isPartial && std::ranges::any_of(e.flows, [&](const OutsideFlow& flow) {
    return !flow.toResult && !flow.isSizeSeen && flow.address == call.argument(0);
  });
  const uint64_t size = call.argument(e.function == "__fgets_chk" ? 2 : 1);
  const MemoryObject* o = isObject(call.from(0)) ? objects_.find(call.from(0)) : nullptr;
  if (isLengthKnown || !o || o->state != MemoryObject::Alive) return;
  if (int64_t(size) <= 0 || size > kLargestObject || objects_.has(call.from(0), call.argument(0), size))
    return;
  add({.isWrite = true,
       .isAllowed = true,
       .time = stepTime_,
       .id = stepId_,
       .address = call.argument(0),
       .size = size,
       .object = *o,
       .function = e.function});
}

// How much is read of a text, and where two of them differ, replay can tell only of memory that the program
// itself has written.
bool MemoryWalk::knowsArguments(const Call& call) const {
  constexpr uint64_t kSmall = 1 << 16; // no address
  for (size_t k = 0; k < call.arguments.size() && k < call.effect.arguments.size(); ++k) {
    if (call.argument(k) < kSmall) continue;
    const MemoryObject* o = isObject(call.from(k)) ? objects_.find(call.from(k)) : nullptr;
    if (!o || o->isForeign) return false;
  }
  return true;
}

// Which argument the model speaks of is not told; it is the one that leads there.
void MemoryWalk::checkRange(Call& call, uint64_t address, uint64_t size, bool isWrite) {
  if (!size || size > kLargestObject) return;
  Provenance found = kNoObject;
  int best = 0; // 2: it is the address; 1: the address lies in its object
  for (size_t k = 0; k < call.arguments.size() && k < call.effect.arguments.size(); ++k) {
    Provenance p = call.from(k);
    const MemoryObject* o = isObject(p) ? objects_.find(p) : nullptr;
    bool isWithin = o && call.argument(k) <= address && address - o->start < o->size;
    int fits = call.argument(k) == address ? 2 : isWithin ? 1 : 0;
    if (fits <= best && !(fits == 2 && !isWrite)) continue;
    best = fits;
    found = isObject(p) ? p : kNoObject;
  }
  if (best == 0 && !isWrite) found = variableArgumentTo(address);
  if (!found) return;
  const MemoryObject* o = objects_.find(found);
  // How long the text is that outside code has put there, replay may not know.
  if (!isWrite && o && o->isForeign && o->state == MemoryObject::Alive) return;
  ++accesses_;
  if (!objects_.has(found, address, size)) doubt(found, address, size, isWrite, call.effect.function);
}

// Of a function that was called with any number of arguments, and handed them on as a list. An object that is
// still there comes before one that was.
Provenance MemoryWalk::variableArgumentTo(uint64_t address) const {
  constexpr size_t kMostFrames = 4; // error() calls report() calls vfprintf()
  Provenance found = kNoObject;
  const std::vector<Frame>& stack = thread_->stack;
  for (size_t k = 0; k < std::min(stack.size(), kMostFrames); ++k)
    for (const Word& word : stack[stack.size() - 1 - k].variable) {
      const MemoryObject* o = isObject(word.from) ? objects_.find(word.from) : nullptr;
      if (!o || address - o->start >= o->size) continue;
      found = word.from;
      if (o->state == MemoryObject::Alive) return found;
    }
  return found;
}

void MemoryWalk::checkDefined(const Known& known, Call& call) {
  if (!options_.undefined) return;
  const OutsideEffect& e = call.effect;
  if (known.prints >= 0)
    for (size_t k = size_t(known.prints); k < call.arguments.size(); ++k)
      if (call.arguments[k].undefined)
        useUndefined(call.arguments[k], MemoryError::Argument, uint32_t(k + 1), e.function);
  if (!known.readsText || e.isPartial || !knowsArguments(call)) return;
  for (const OutsideFlow& flow : e.flows)
    for (const FlowSource& source : flow.sources) {
      if (source.kind != FlowSource::Memory || source.frame != 0 || source.size > kLargestObject) continue;
      auto at = memory_.firstUndefined(source.address, source.size);
      if (!at) continue;
      // Outside of the object it is another error.
      Provenance inside = kNoObject;
      for (size_t k = 0; k < call.arguments.size(); ++k)
        if (isObject(call.from(k)) && objects_.has(call.from(k), *at, 1)) inside = call.from(k);
      if (!inside || objects_.find(inside)->isForeign) continue;
      MemoryError error{.kind = MemoryError::Uninitialised, .time = stepTime_, .id = stepId_};
      error.address = error.readAddress = *at;
      error.size = error.readSize = 1;
      error.readAt = stepTime_;
      error.readBy = stepId_;
      error.object = *objects_.find(inside);
      error.function = e.function;
      error.use = MemoryError::Text;
      add(std::move(error));
    }
}

// ---- the end

void MemoryWalk::stopped(const replay::FrameView& frame, uint64_t time, uint32_t module, uint64_t fault) {
  if (thread_->stack.empty() || frame.instruction == fir::kNone) return;
  const fir::Image& image = *frame.image;
  const fir::Instruction& i = image.instructions[frame.instruction];
  stepTime_ = time;
  stepId_ = module + frame.instruction;
  Word* w = thread_->words.data() + thread_->stack.back().words;
  auto operand = [&](uint32_t k, uint64_t& value) {
    fir::Operand o = image.operandsOf(i)[k];
    if (fir::operandKind(o) != fir::OperandKind::Word || fir::operandIndex(o) >= frame.words.size())
      return false;
    value = frame.words[fir::operandIndex(o)];
    return true;
  };
  auto word = [&](uint32_t k) { return w[fir::operandIndex(image.operandsOf(i)[k])]; };
  uint64_t address = 0;
  switch (i.op) {
  case fir::Op::Load:
  case fir::Op::Store:
    if (operand(0, address) && (fault == ~uint64_t(0) || fault - address < i.imm))
      check(word(0).from, address, i.imm, i.op == fir::Op::Store);
    return;
  case fir::Op::Copy:
  case fir::Op::Fill: {
    uint64_t size = 0;
    fir::Operand o = image.operandsOf(i)[2];
    if (fir::operandKind(o) == fir::OperandKind::Word) operand(2, size);
    if (size && i.op == fir::Op::Copy && operand(1, address)) check(word(1).from, address, size, false);
    if (size && operand(0, address)) check(word(0).from, address, size, true);
    return;
  }
  case fir::Op::Call: {
    uint32_t symbol = image.calls[i.aux].symbol;
    if (symbol == fir::kNone || i.operandCount < 2) return;
    auto it = entries().find(image.string(image.symbols[symbol].name));
    if (it == entries().end()) return;
    auto heap = Known::Heap(it->second->heap);
    if (heap != Known::Free && heap != Known::Resize && heap != Known::ResizeArray) return;
    if (!operand(1, address)) return;
    OutsideEffect effect{.time = time, .function = std::string(it->first)};
    effect.arguments = {address};
    Call call{effect};
    call.arguments = {word(1)};
    return release(call, 0);
  }
  default:
    return;
  }
}

} // namespace faultline::depend
