#include "experiment/chunk.h"

#include "base/file.h"

#include <nlohmann/json.hpp>

namespace faultline::experiment {
namespace {

using nlohmann::json;

Result<void> writeList(const std::filesystem::path& file, const std::vector<std::string>& items) {
  std::string bytes;
  json::to_cbor(json(items), bytes);
  return writeFileAtomic(file, bytes);
}

Result<std::vector<std::string>> readList(const std::filesystem::path& file) {
  FL_TRY(bytes, readFile(file));
  try {
    return json::from_cbor(bytes).get<std::vector<std::string>>();
  } catch (const json::exception& damage) {
    return errorf("{} cannot be read: {}", file.string(), damage.what());
  }
}

} // namespace

std::filesystem::path ChunkFolder::file(size_t chunk, const char* suffix) const {
  return folder_ / fmt::format("{}.{}", chunk, suffix);
}

Result<void> ChunkFolder::writeSetting(const Setting& setting) const {
  return writeFileAtomic(folder_ / "setting", pack(setting));
}

Result<void> ChunkFolder::writeChunk(size_t chunk, const std::vector<const RunSpec*>& specs) const {
  std::vector<std::string> items;
  for (const RunSpec* spec : specs) items.push_back(pack(*spec));
  return writeList(file(chunk, "in"), items);
}

Result<std::optional<std::vector<Outcome>>> ChunkFolder::takeOutcomes(size_t chunk) const {
  std::error_code failed;
  if (!std::filesystem::exists(file(chunk, "out"), failed)) return std::optional<std::vector<Outcome>>();
  FL_TRY(items, readList(file(chunk, "out")));
  std::vector<Outcome> outcomes;
  // Verdict and ending in turn.
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    int verdict = items[i].empty() ? -1 : items[i][0] - '0';
    if (verdict < 0 || verdict > int(Verdict::None))
      return errorf("{} cannot be read: there is no such verdict", file(chunk, "out").string());
    FL_TRY(ending, unpackEnding(items[i + 1]));
    outcomes.push_back({Verdict(verdict), std::move(ending)});
  }
  return std::optional(std::move(outcomes));
}

std::optional<std::string> ChunkFolder::errorOf(size_t chunk) const {
  auto text = readFile(file(chunk, "error"));
  return text ? std::optional(*text) : std::nullopt;
}

Result<void> ChunkFolder::runChunk(size_t chunk) const {
  auto done = tryChunk(chunk);
  if (!done) (void)writeFileAtomic(file(chunk, "error"), done.error().message);
  return done;
}

Result<void> ChunkFolder::tryChunk(size_t chunk) const {
  FL_TRY(bytes, readFile(folder_ / "setting"));
  FL_TRY(setting, unpackSetting(bytes));
  FL_TRY(specs, readList(file(chunk, "in")));
  FL_TRY(runner, FreshRunner::create(setting.program, setting.limits, setting.containment, setting.input));
  Judge judge = Judge::of(setting.expectation, setting.original, setting.directory);
  std::vector<std::string> outcomes;
  for (const std::string& item : specs) {
    FL_TRY(spec, unpackSpec(item));
    FL_TRY(ending, runner.run(spec));
    FL_TRY(verdict, judge.judge(ending));
    outcomes.push_back(std::string(1, char('0' + int(verdict))));
    outcomes.push_back(pack(ending));
  }
  return writeList(file(chunk, "out"), outcomes);
}

} // namespace faultline::experiment
