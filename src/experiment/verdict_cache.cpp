#include "experiment/verdict_cache.h"

#include "base/file.h"

#include <chrono>
#include <sqlite3.h>
#include <thread>
#include <xxhash.h>

namespace faultline::experiment {
namespace {

// Another is another file.
constexpr const char* kFile = "verdicts-1.sqlite";
constexpr int kPatienceForLock = 10'000; // milliseconds that another process may keep the file locked
// Verdicts between looks at the size.
constexpr uint64_t kLookAgain = 1000;

constexpr const char* kTable =
    "CREATE TABLE IF NOT EXISTS verdicts"
    " (key BLOB PRIMARY KEY, verdict INTEGER, ending BLOB, used INTEGER) WITHOUT ROWID";
constexpr const char* kWorlds =
    "CREATE TABLE IF NOT EXISTS worlds"
    " (key BLOB PRIMARY KEY, pid INTEGER, clock INTEGER, made INTEGER) WITHOUT ROWID";
constexpr int64_t kWorldLasts = 24 * 3600 * int64_t(1'000'000); // microseconds

int64_t now() {
  auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}
// A verdict that is used is marked so at most this often.
constexpr int64_t kMarkAgain = 60'000'000;

int run(sqlite3* database, const char* text) {
  return sqlite3_exec(database, text, nullptr, nullptr, nullptr);
}

bool isLocked(int code) { return (code & 0xff) == SQLITE_BUSY || (code & 0xff) == SQLITE_LOCKED; }

void bindBytes(sqlite3_stmt* statement, int place, const std::string& bytes) {
  sqlite3_bind_blob(statement, place, bytes.data(), int(bytes.size()), SQLITE_TRANSIENT);
}

} // namespace

std::string contentKey(std::string_view bytes) {
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits(bytes.data(), bytes.size()));
  return {reinterpret_cast<const char*>(hash.digest), sizeof hash.digest};
}

std::string verdictKey(const Setting& setting, const RunSpec& spec) {
  return contentKey(pack(setting) + pack(spec));
}

bool isWorthKeeping(const Outcome& outcome) {
  if (outcome.ending.cut == Ending::Broken) return false;
  return outcome.verdict != Verdict::None || outcome.ending.cut != Ending::Time;
}

Result<std::unique_ptr<VerdictCache>> VerdictCache::openDefault() {
  FL_TRY(directory, cacheDir());
  return open(directory / kFile);
}

Result<std::unique_ptr<VerdictCache>> VerdictCache::open(const std::filesystem::path& file,
                                                         uint64_t mostBytes) {
  std::unique_ptr<VerdictCache> cache(new VerdictCache(file, mostBytes));
  int code = cache->connectPatiently();
  if (isLocked(code)) return errorf("verdicts cannot be kept in {}: another process has it", file.string());
  if (code != SQLITE_OK && !cache->startAnew())
    return errorf("verdicts cannot be kept in {}: is it writable, is the disk full?", file.string());
  return cache;
}

VerdictCache::~VerdictCache() { disconnect(); }

int VerdictCache::connect() {
  int code = sqlite3_open_v2(file_.c_str(), &database_,
                             SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code == SQLITE_OK) {
    sqlite3_busy_timeout(database_, kPatienceForLock);
    // With a log beside it, readers and a writer do not wait for each other; a lost verdict is no harm.
    for (const char* text : {"PRAGMA journal_mode=WAL", "PRAGMA synchronous=OFF", kTable, kWorlds})
      if (code == SQLITE_OK) code = run(database_, text);
  }
  if (code == SQLITE_OK) code = prepare("SELECT verdict, ending, used FROM verdicts WHERE key = ?", find_);
  if (code == SQLITE_OK) code = prepare("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?, ?)", store_);
  if (code == SQLITE_OK) code = prepare("UPDATE verdicts SET used = ?2 WHERE key = ?1", touch_);
  if (code == SQLITE_OK)
    code = prepare("SELECT pid, clock FROM worlds WHERE key = ?1 AND made > ?2", findWorld_);
  if (code == SQLITE_OK) code = prepare("INSERT OR REPLACE INTO worlds VALUES (?, ?, ?, ?)", storeWorld_);
  if (code != SQLITE_OK) disconnect();
  return code;
}

// Who finds another process at making the file is told at once that it is locked, whatever patience was asked
// for: SQLite does not wait there. A locked file is no damaged one, and is not to be thrown away.
int VerdictCache::connectPatiently() {
  using namespace std::chrono_literals;
  auto patience = std::chrono::steady_clock::now() + std::chrono::milliseconds(kPatienceForLock);
  int code = connect();
  while (isLocked(code) && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(2ms);
    code = connect();
  }
  return code;
}

void VerdictCache::disconnect() {
  for (sqlite3_stmt** statement : {&find_, &store_, &touch_, &findWorld_, &storeWorld_}) {
    sqlite3_finalize(*statement);
    *statement = nullptr;
  }
  sqlite3_close(database_);
  database_ = nullptr;
}

int VerdictCache::prepare(const char* text, sqlite3_stmt*& statement) {
  return sqlite3_prepare_v2(database_, text, -1, &statement, nullptr);
}

bool VerdictCache::startAnew() {
  disconnect();
  std::error_code failed;
  bool there = std::filesystem::exists(file_, failed);
  for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file_.string() + suffix, failed);
  if (connectPatiently() != SQLITE_OK) return false;
  if (there) notice_ = fmt::format("{} was damaged; the verdicts in it are forgotten", file_.string());
  return true;
}

void VerdictCache::noticeDamage(int code) {
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) startAnew();
}

std::optional<Outcome> VerdictCache::find(const std::string& key) {
  std::lock_guard guard(mutex_);
  if (!database_) return std::nullopt;
  bindBytes(find_, 1, key);
  int code = sqlite3_step(find_);
  std::optional<Outcome> outcome;
  if (code == SQLITE_ROW) {
    auto* bytes = static_cast<const char*>(sqlite3_column_blob(find_, 1));
    auto ending = unpackEnding({bytes, size_t(sqlite3_column_bytes(find_, 1))});
    int verdict = sqlite3_column_int(find_, 0);
    bool known = verdict >= 0 && verdict <= int(Verdict::None);
    if (ending && known) outcome = Outcome{Verdict(verdict), std::move(*ending), true};
  }
  bool mark = outcome && sqlite3_column_int64(find_, 2) < now() - kMarkAgain;
  sqlite3_reset(find_);
  if (mark) {
    bindBytes(touch_, 1, key);
    sqlite3_bind_int64(touch_, 2, now());
    code = sqlite3_step(touch_);
    sqlite3_reset(touch_);
  }
  noticeDamage(code);
  return outcome;
}

void VerdictCache::store(const std::string& key, const Outcome& outcome) {
  std::lock_guard guard(mutex_);
  storeOne(key, outcome);
}

void VerdictCache::store(std::span<const std::pair<std::string, Outcome>> outcomes) {
  std::lock_guard guard(mutex_);
  if (database_) faultline::experiment::run(database_, "BEGIN");
  for (const auto& [key, outcome] : outcomes) storeOne(key, outcome);
  if (database_) faultline::experiment::run(database_, "COMMIT");
}

void VerdictCache::storeOne(const std::string& key, const Outcome& outcome) {
  if (!isWorthKeeping(outcome)) return;
  Ending ending = outcome.ending;
  ending.output.clear();
  ending.errors.clear();
  if (!database_) return;
  bindBytes(store_, 1, key);
  sqlite3_bind_int(store_, 2, int(outcome.verdict));
  bindBytes(store_, 3, pack(ending));
  sqlite3_bind_int64(store_, 4, now());
  int code = sqlite3_step(store_);
  sqlite3_reset(store_);
  noticeDamage(code);
  if (++stored_ % kLookAgain == 0) bound();
}

int64_t VerdictCache::number(const char* query) {
  sqlite3_stmt* statement = nullptr;
  prepare(query, statement);
  int64_t value = statement && sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
  sqlite3_finalize(statement);
  return value;
}

// Pages that become free are used again, so the file stays as large as it was.
void VerdictCache::bound() {
  int64_t used = number("PRAGMA page_count") - number("PRAGMA freelist_count");
  if (uint64_t(used * number("PRAGMA page_size")) <= mostBytes_) return;
  run(database_, "DELETE FROM verdicts WHERE key IN (SELECT key FROM verdicts ORDER BY used"
                 " LIMIT (SELECT count(*) / 4 FROM verdicts))");
}

std::optional<World> VerdictCache::findWorld(const std::string& key) {
  std::lock_guard guard(mutex_);
  if (!database_) return std::nullopt;
  bindBytes(findWorld_, 1, key);
  sqlite3_bind_int64(findWorld_, 2, now() - kWorldLasts);
  int code = sqlite3_step(findWorld_);
  std::optional<World> out;
  if (code == SQLITE_ROW)
    out = World{uint32_t(sqlite3_column_int64(findWorld_, 0)), uint64_t(sqlite3_column_int64(findWorld_, 1))};
  sqlite3_reset(findWorld_);
  noticeDamage(code);
  return out;
}

void VerdictCache::storeWorld(const std::string& key, World world) {
  std::lock_guard guard(mutex_);
  if (!database_) return;
  run(database_, fmt::format("DELETE FROM worlds WHERE made <= {}", now() - kWorldLasts).c_str());
  bindBytes(storeWorld_, 1, key);
  sqlite3_bind_int64(storeWorld_, 2, int64_t(world.pid));
  sqlite3_bind_int64(storeWorld_, 3, int64_t(world.clock));
  sqlite3_bind_int64(storeWorld_, 4, now());
  int code = sqlite3_step(storeWorld_);
  sqlite3_reset(storeWorld_);
  noticeDamage(code);
}

std::string VerdictCache::notice() const {
  std::lock_guard guard(mutex_);
  return notice_;
}

} // namespace faultline::experiment
