#include "base/file.h"
#include "compiler/variant.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fs = std::filesystem;

namespace faultline::compiler {
namespace {

uint64_t sizeOf(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) {
    uint64_t size = fs::file_size(path, ignored);
    return ignored ? 0 : size;
  }
  uint64_t sum = 0;
  for (auto& entry : fs::recursive_directory_iterator(path, ignored)) {
    std::error_code gone;
    uint64_t size = entry.is_regular_file(gone) ? entry.file_size(gone) : 0;
    if (!gone) sum += size;
  }
  return sum;
}

std::string programOf(const fs::path& variant) {
  auto text = readFile(variant / "manifest.json");
  if (!text) return {};
  auto manifest = nlohmann::json::parse(*text, nullptr, false);
  return manifest.is_object() ? manifest.value("program", "") : std::string();
}

void listFolder(const fs::path& folder, std::vector<CacheEntry>& out, std::vector<fs::path>& paths) {
  std::error_code ignored;
  for (auto& entry : fs::directory_iterator(folder, ignored)) {
    CacheEntry e;
    e.key = entry.path().filename();
    if (entry.is_directory(ignored)) e.program = programOf(entry.path());
    e.bytes = sizeOf(entry.path());
    e.used = fs::last_write_time(entry.path(), ignored);
    out.push_back(std::move(e));
    paths.push_back(entry.path());
  }
}

} // namespace

Result<std::vector<CacheEntry>> listCache() {
  FL_TRY(root, cacheDir());
  std::vector<CacheEntry> entries;
  std::vector<fs::path> paths;
  listFolder(root / "variants", entries, paths);
  listFolder(root / "units", entries, paths);
  return entries;
}

Result<uint64_t> trimCache(uint64_t limit) {
  FL_TRY(root, cacheDir());
  std::vector<CacheEntry> entries;
  std::vector<fs::path> paths;
  listFolder(root / "variants", entries, paths);
  listFolder(root / "units", entries, paths);
  std::vector<size_t> order(entries.size());
  for (size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return entries[a].used < entries[b].used; });
  uint64_t total = 0, removed = 0;
  for (auto& e : entries) total += e.bytes;
  for (size_t k : order) {
    if (total - removed <= limit) break;
    std::error_code failed;
    fs::remove_all(paths[k], failed);
    if (failed) return errorf("cannot remove {}: {}", paths[k].string(), failed.message());
    removed += entries[k].bytes;
  }
  return removed;
}

} // namespace faultline::compiler
