#include "experiment/run_digest.h"

#include "recording/log_decode.h"

#include <memory>
#include <set>
#include <xxhash.h>

namespace faultline::experiment {
namespace {

using recording::Decoded;
using Places = std::set<std::pair<uint64_t, uint32_t>>;

class Hash {
public:
  Hash() { XXH3_128bits_reset(state_.get()); }

  void add(const void* bytes, size_t size) { XXH3_128bits_update(state_.get(), bytes, size); }
  std::string digest() const {
    XXH128_canonical_t out;
    XXH128_canonicalFromHash(&out, XXH3_128bits_digest(state_.get()));
    return {reinterpret_cast<const char*>(out.digest), sizeof out.digest};
  }

private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_{XXH3_createState(), XXH3_freeState};
};

Result<void> addChunk(const recording::LogBytes& chunk, const Places& passing, Hash& hash) {
  const uint8_t *at = chunk->data(), *end = at + chunk->size();
  uint64_t epoch = 0;
  recording::Record record;
  for (;;) {
    const uint8_t* start = at;
    Decoded got = recording::decodeRecord(at, end, epoch, record);
    if (got == Decoded::EndOfChunk) return {};
    if (got == Decoded::Damaged) return errorf("the log of the recording is damaged");
    if (record.tag == FL_LOG_FINAL) continue; // follows from the rest
    if (!passing.contains({epoch, record.id})) {
      hash.add(start, size_t(at - start));
    } else if (record.tag != FL_LOG_EFFECT) { // of how many pieces an effect is depends on its value
      hash.add(&epoch, sizeof epoch);
      hash.add(&record.id, sizeof record.id);
    }
  }
}

} // namespace

Result<std::string> runDigest(const recording::LogSource& log, std::span<const OutsideValue> passing) {
  Places places;
  for (const OutsideValue& v : passing) places.insert({v.epoch, v.id});
  Hash hash;
  for (uint32_t k = 0; k < log.chunkCount(); ++k) {
    FL_TRY(chunk, log.load(k));
    FL_CHECK(addChunk(chunk, places, hash));
  }
  return hash.digest();
}

} // namespace faultline::experiment
