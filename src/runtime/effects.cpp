#include "runtime/effects.h"

#include "runtime/log.h"
#include "runtime/raw.h"

#include <sys/stat.h>

namespace fl {

// Runs closer than this are logged as one: a record costs about as much as these bytes.
static constexpr size_t kGap = 16;

static inline uint64_t word(const uint8_t* at) {
  uint64_t value;
  memcpy(&value, at, 8);
  return value;
}

// Index of the first byte at or after `from` that differs, or `size`.
static size_t firstDifference(const uint8_t* a, const uint8_t* b, size_t from, size_t size) {
  size_t i = from;
  while (i + 32 <= size) {
    uint64_t difference = (word(a + i) ^ word(b + i)) | (word(a + i + 8) ^ word(b + i + 8)) |
                          (word(a + i + 16) ^ word(b + i + 16)) | (word(a + i + 24) ^ word(b + i + 24));
    if (difference) break;
    i += 32;
  }
  while (i + 8 <= size && word(a + i) == word(b + i)) i += 8;
  // The rest once more with bytes before it, which are equal.
  if (size >= 8 && i + 8 > size && word(a + size - 8) == word(b + size - 8)) return size;
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

// End of the run of differing bytes that begins at `from`.
static size_t endOfRun(const uint8_t* a, const uint8_t* b, size_t from, size_t size) {
  size_t end = from + 1;
  for (size_t i = end; i < size && i < end + kGap; ++i)
    if (a[i] != b[i]) end = i + 1;
  return end;
}

static void logEffect(const uint8_t* memory, size_t size, uint32_t id) {
  uint8_t* at = putTagAt(open(kLargeRecord), FL_LOG_EFFECT);
  at = putUleb(at, id);
  at = put(at, uint64_t(memory));
  at = putUleb(at, size);
  memcpy(at, memory, size);
  // From what was logged, not from memory again: another process may write to it at this moment.
  memcpy(shadowOf(memory), at, size);
  close(at + size);
}

void syncRange(const void* address, size_t size, uint32_t id) {
  auto* memory = static_cast<const uint8_t*>(address);
  const uint8_t* shadow = shadowOf(address);
  for (size_t at = 0; (at = firstDifference(memory, shadow, at, size)) < size;) {
    size_t end = endOfRun(memory, shadow, at, size);
    for (; at < end; at += kPiece) logEffect(memory + at, end - at < kPiece ? end - at : kPiece, id);
    at = end;
  }
}

namespace {

uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

// One call of a modelled function. The ranges are those that the function has just written, so they can be
// read; what is checked is that they have a shadow.
struct Call {
  const uint64_t* a;
  uint64_t result;
  uint32_t id;

  int32_t asInt() const { return int32_t(result); }
  int64_t asLong() const { return int64_t(result); }

  void written(uint64_t address, uint64_t size) const {
    if (address != 0 && size != 0 && hasShadow(address, size))
      syncRange(reinterpret_cast<void*>(address), size, id);
  }
  void string(uint64_t address) const {
    if (address != 0 && hasShadow(address, 1)) written(address, strlen(reinterpret_cast<char*>(address)) + 1);
  }
  void line() const {
    written(a[0], 8);
    written(a[1], 8);
    if (asLong() >= 0 && hasShadow(a[0], 8))
      written(*reinterpret_cast<uint64_t*>(a[0]), uint64_t(asLong()) + 1);
  }
  // A std::string: where its text is, how long it is.
  void text(uint64_t address) const {
    written(address, 16);
    if (address == 0 || !hasShadow(address, 16)) return;
    uint64_t header[2];
    memcpy(header, reinterpret_cast<void*>(address), sizeof header);
    written(header[0], header[1]);
  }
  // The strings among its arguments, those of the first six that there are.
  void formatted(uint64_t format) const;
  // memccpy stops at the byte it looks for.
  uint64_t copied(uint32_t model) const {
    return model == FL_MODEL_memccpy && result != 0 ? result - a[0] : a[2];
  }
};

bool isOneOf(char c, const char* letters) { return c != 0 && strchr(letters, c); }

// It has been printed, so it has an end where the format lets it have one.
void Call::formatted(uint64_t format) const {
  constexpr uint64_t kArguments = 6;
  const char* at = reinterpret_cast<const char*>(a[format]);
  uint64_t next = format + 1;
  while ((at = strchr(at, '%'))) {
    uint64_t most = ~uint64_t(0);
    bool isPrecision = false;
    for (++at; isOneOf(*at, "-+ #0'123456789.*hlLjztq"); ++at) {
      if (*at == '.') isPrecision = true, most = 0;
      if (*at == '*' && next < kArguments) {
        const int32_t given = int32_t(a[next]);
        if (isPrecision) most = given < 0 ? ~uint64_t(0) : uint64_t(given);
      }
      next += *at == '*';
      if (isPrecision && *at >= '0' && *at <= '9') most = most * 10 + uint64_t(*at - '0');
    }
    if (*at == 0 || *at == '$' || next >= kArguments) return;
    if (*at == 's' && at[-1] != 'l' && a[next] != 0 && hasShadow(a[next], 1)) {
      auto* string = reinterpret_cast<const char*>(a[next]);
      const uint64_t length = strnlen(string, most);
      written(a[next], length + (length < most));
    }
    next += *at != '%' && *at != 'm';
    ++at;
  }
}

constexpr uint8_t kEffects[] = {
#define FL_EFFECT_OF(name, effect, flags) effect,
    FL_MODELS(FL_EFFECT_OF)
#undef FL_EFFECT_OF
};

} // namespace

// Results are zero-extended, so one of type int is looked at as such.
void applyModel(uint32_t model, uint64_t result, const uint64_t* a, uint32_t id) {
  if (model >= FL_MODEL_COUNT) return;
  Call call{a, result, id};
  switch (kEffects[model]) {
  case FL_EFFECT_W1_R:
    if (call.asLong() > 0) call.written(a[1], result);
    break;
  case FL_EFFECT_W0_RA1:
    call.written(a[0], result * a[1]);
    break;
  case FL_EFFECT_Z0_IF_R:
    if (result != 0) call.string(a[0]);
    break;
  case FL_EFFECT_W0_MIN_R1_A1:
    if (call.asInt() >= 0) call.written(a[0], smaller(uint64_t(call.asInt()) + 1, a[1]));
    break;
  case FL_EFFECT_W0_R1:
    if (call.asInt() >= 0) call.written(a[0], uint64_t(call.asInt()) + 1);
    break;
  case FL_EFFECT_Z0:
    call.string(a[0]);
    break;
  case FL_EFFECT_W0_A2:
    call.written(a[0], call.copied(model));
    break;
  case FL_EFFECT_W0_A1:
    call.written(a[0], a[1]);
    break;
  case FL_EFFECT_GETLINE:
    call.line();
    break;
  case FL_EFFECT_STAT:
    if (call.asInt() == 0) call.written(a[1], sizeof(struct stat));
    break;
  case FL_EFFECT_STAT_AT:
    if (call.asInt() == 0) call.written(a[2], sizeof(struct stat));
    break;
  case FL_EFFECT_W1_8:
    call.written(a[1], 8);
    break;
  case FL_EFFECT_W1_16:
    if (call.asInt() == 0) call.written(a[1], 16);
    break;
  case FL_EFFECT_W0_16:
    if (call.asInt() == 0) call.written(a[0], 16);
    break;
  case FL_EFFECT_W0_8:
    call.written(a[0], 8);
    break;
  case FL_EFFECT_CALLOC:
    call.written(result, a[0] * a[1]);
    break;
  case FL_EFFECT_REALLOC:
    call.written(result, a[1]);
    break;
  case FL_EFFECT_ZR:
    call.string(result);
    break;
  case FL_EFFECT_SORT:
    call.written(a[0], a[1] * a[2]);
    break;
  case FL_EFFECT_R1_R:
    if (call.asLong() > 0) call.written(a[1], result);
    break;
  case FL_EFFECT_R0_RA1:
    call.written(a[0], result * a[1]);
    break;
  case FL_EFFECT_R1_A2:
    call.written(a[1], a[2]);
    break;
  case FL_EFFECT_RZ0:
    if (call.asInt() >= 0) call.string(a[0]);
    break;
  case FL_EFFECT_RZ1:
    call.string(a[1]);
    break;
  case FL_EFFECT_RTEXT1:
    call.text(a[1]);
    break;
  case FL_EFFECT_RFORMAT0:
  case FL_EFFECT_RFORMAT1:
  case FL_EFFECT_RFORMAT2:
    if (call.asInt() >= 0) call.formatted(uint64_t(kEffects[model] - FL_EFFECT_RFORMAT0));
    break;
  default:
    break;
  }
}

} // namespace fl

using namespace fl;

// A size that was negative: no memory is as large. Some machines' memmove comes back from that, by luck, with
// something overwritten; what is certain is that the whole of it cannot be done. It ends behind the last page
// that there is, as doing it byte by byte would, with nothing overwritten.
static FL_COLD void runIntoTheEnd(const void* from, bool writes) {
  constexpr uintptr_t kPage = 4096;
  uintptr_t page = uintptr_t(from) & ~(kPage - 1);
  while (raw(SYS_madvise, long(page), long(kPage), MADV_NORMAL) == 0) page += kPage;
  auto* behind = reinterpret_cast<volatile char*>(page > uintptr_t(from) ? page : uintptr_t(from));
  char first = 0;
  writes ? void(*behind = first) : void(first = *behind);
}
static bool isBeyondMemory(uint64_t size) { return size >> 47; }

FL_EXPORT void fl_copy(void* destination, const void* source, uint64_t size, uint32_t id, fl_module* module) {
  if (size == 0) return;
  if (isBeyondMemory(size)) runIntoTheEnd(source, false);
  bool known = hasShadow(uintptr_t(source), size) && hasShadow(uintptr_t(destination), size);
  // A bad pointer faults here or in the first move, with log and shadow as they were.
  if (known) syncRange(source, size, globalId(id, module));
  memmove(destination, source, size);
  if (known) memmove(shadowOf(destination), shadowOf(source), size);
}

FL_EXPORT void fl_copy_known(void* destination, const void* source, uint64_t size) {
  memmove(destination, source, size);
  memcpy(shadowOf(destination), destination, size);
}

FL_EXPORT void fl_fill(void* destination, uint32_t byte, uint64_t size) {
  if (size == 0) return;
  if (isBeyondMemory(size)) runIntoTheEnd(destination, true);
  memset(destination, int(byte), size);
  if (hasShadow(uintptr_t(destination), size)) memset(shadowOf(destination), int(byte), size);
}
