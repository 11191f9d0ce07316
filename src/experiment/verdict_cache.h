// Verdicts that are known already, by the content of the experiment: an interrupted search goes on where it
// was, and a search that comes by the same input again does not run it again.
//
// One SQLite file for all searches of a user; several processes may use it at once. It is bounded: what was
// not used for longest goes first. A damaged file is thrown away; nothing in it is worth an error.
#pragma once

#include "experiment/executor.h"
#include "experiment/setting.h"

#include <filesystem>
#include <mutex>
#include <optional>
#include <span>

struct sqlite3;
struct sqlite3_stmt;

namespace faultline::experiment {

struct World {
  uint32_t pid = 0;   // the number that the process believes to have
  uint64_t clock = 0; // and its clock at the start, nanoseconds since 1970
  bool operator==(const World&) const = default;
};

class VerdictCache {
public:
  static constexpr uint64_t kMostBytes = uint64_t(256) << 20;

  static Result<std::unique_ptr<VerdictCache>> open(const std::filesystem::path& file,
                                                    uint64_t mostBytes = kMostBytes);
  // In the cache directory.
  static Result<std::unique_ptr<VerdictCache>> openDefault();
  ~VerdictCache();
  VerdictCache(const VerdictCache&) = delete;
  VerdictCache& operator=(const VerdictCache&) = delete;

  std::optional<Outcome> find(const std::string& key);
  void store(const std::string& key, const Outcome& outcome);
  void store(std::span<const std::pair<std::string, Outcome>> outcomes); // at once
  // The world in which a run was recorded for experiments, by all that was given to the program: in another
  // one it would read another clock, and verdicts would not hold. Forgotten after a day.
  std::optional<World> findWorld(const std::string& key);
  void storeWorld(const std::string& key, World world);
  // What the user should know: that the file was damaged. Empty: nothing.
  std::string notice() const;

private:
  VerdictCache(std::filesystem::path file, uint64_t mostBytes)
      : file_(std::move(file)), mostBytes_(mostBytes) {}
  int connect(); // what SQLite says
  int connectPatiently();
  void disconnect();
  bool startAnew();
  void noticeDamage(int code);
  void bound();
  int prepare(const char* text, sqlite3_stmt*& statement);
  int64_t number(const char* query);
  void storeOne(const std::string& key, const Outcome& outcome);

  std::filesystem::path file_;
  uint64_t mostBytes_;
  mutable std::mutex mutex_;
  sqlite3* database_ = nullptr;
  sqlite3_stmt *find_ = nullptr, *store_ = nullptr, *touch_ = nullptr;
  sqlite3_stmt *findWorld_ = nullptr, *storeWorld_ = nullptr;
  uint64_t stored_ = 0;
  std::string notice_;
};

// Names any bytes.
std::string contentKey(std::string_view bytes);
// Names the experiment by all that its verdict depends on.
std::string verdictKey(const Setting& setting, const RunSpec& spec);

// Whether running it again would tell the same: not of one that was broken off, or that the machine may only
// have been too slow for.
bool isWorthKeeping(const Outcome& outcome);

} // namespace faultline::experiment
