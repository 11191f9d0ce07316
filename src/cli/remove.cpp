// faultline remove RECORDING...: the file and what is kept beside it.
#include "cli/run.h"
#include "recording/side_files.h"

namespace fs = std::filesystem;

namespace faultline::cli {
namespace {

Result<int> removeRecordings(const Context& context, const std::vector<std::string>& words) {
  // All are looked up before the first one goes.
  std::vector<fs::path> paths;
  for (const std::string& word : words) {
    auto path = namedRecording(word);
    if (!path) return errorf("{}: is no recording; `faultline list` shows those that there are", word);
    paths.push_back(*path);
  }
  nlohmann::json removed = nlohmann::json::array();
  for (const fs::path& path : paths) {
    recording::removeSideFiles(path);
    std::error_code failed;
    fs::remove(path, failed);
    if (failed) return errorf("cannot remove {}: {}", path.string(), failed.message());
    removed.push_back(path.string());
    if (!context.json) context.log().note("removed {}", path.string());
  }
  if (context.json)
    FL_CHECK(context.answer(
        nlohmann::json{{"schema", "faultline/1"}, {"technique", "remove"}, {"removed", removed}}));
  return kAnswered;
}

} // namespace

void addRemove(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("remove", "Remove recordings and what is kept beside them");
  addCommonOptions(*command, context);
  auto words = std::make_shared<std::vector<std::string>>();
  command->add_option("recording", *words, "Files, or names that `faultline list` shows")
      ->type_name("RECORDING")
      ->required();
  command->callback([words, &context] { context.run([&] { return removeRecordings(context, *words); }); });
}

} // namespace faultline::cli
