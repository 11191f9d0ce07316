// Makes the record variant of a program (or the alter variant): all units that carry IR, in the program and
// in the shared libraries it loads, built again with hooks, and linked as they were. Everything is cached by
// content: a changed unit, link command, tool or runtime gives another key, so an old entry is never used by
// mistake.
//
//   cache/units/<key>.o, <key>.fir         one unit, shared by all programs that contain it
//   cache/variants/<key>/program, *.so     what is run
//   cache/variants/<key>/<hash>.fir        what replays it
//   cache/variants/<key>/manifest.json     where it came from; written last
#pragma once

#include "base/result.h"
#include "compiler/variant_kind.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace faultline::compiler {

struct Variant {
  std::string key;
  std::filesystem::path directory;
  std::filesystem::path executable;
  std::string programId;     // names the IR: equal for equal programs
  bool hasLibraries = false; // directory must come first on LD_LIBRARY_PATH
  double seconds = 0;        // spent on making it; 0: it was in the cache
  // What a shared object that the program opens must know of it; not for a variant that was only looked up.
  std::vector<std::filesystem::path> binaries = {};            // the program and its libraries, as they are
  std::shared_ptr<const std::set<std::string>> functions = {}; // those in them that have IR
};

struct VariantOptions {
  unsigned jobs = 0; // 0: one per core
  VariantKind kind = VariantKind::Record;
  std::function<void(size_t done, size_t total)> progress;
  // Asked while it is built; true: the build ends with an error, and of what was not complete nothing is
  // left. What was complete (other units) is kept for the next time.
  std::function<bool()> stop = {};
};

// Those of this program, as it is now, that need not be made.
Result<std::map<VariantKind, Variant>> variantsThere(const std::filesystem::path& program);

Result<Variant> recordVariant(const std::filesystem::path& program, const VariantOptions& options = {});

// Of a shared object that `program` (made by recordVariant) opens at run time. None: it carries no IR. One
// that is also a library of the program comes from the program's variant, and has no key of its own. The
// libraries that only it needs stay as they are.
Result<std::optional<Variant>> recordObject(const std::filesystem::path& object, const Variant& program,
                                            const VariantOptions& options = {});

// The variant with this key, if it is still in the cache.
Result<Variant> cachedVariant(const std::string& key);

// What the cache holds.
struct CacheEntry {
  std::string key;
  std::string program; // empty for a unit
  uint64_t bytes = 0;
  std::filesystem::file_time_type used;
};
Result<std::vector<CacheEntry>> listCache();

// Removes what was used longest ago until at most `limit` bytes are left; returns the bytes removed.
Result<uint64_t> trimCache(uint64_t limit);

} // namespace faultline::compiler
