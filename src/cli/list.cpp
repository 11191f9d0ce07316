// faultline list: the recordings that have been made without a name of their own.
#include "base/text.h"
#include "cli/run.h"
#include "recording/leftover.h"
#include "recording/side_files.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace faultline::cli {
namespace {

Result<int> listRecordings(const Context& context, std::string directory) {
  if (directory.empty()) {
    FL_TRY(standard, recordingsDirectory());
    directory = standard.string();
  }
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (auto& entry : fs::directory_iterator(directory, failed)) {
    std::error_code ignored;
    if (entry.path().extension() == ".flr") files.push_back({entry.last_write_time(ignored), entry.path()});
  }
  if (failed) return errorf("cannot list {}: {}", directory, failed.message());
  std::sort(files.rbegin(), files.rend());
  nlohmann::json document{{"schema", "faultline/1"},
                          {"technique", "list"},
                          {"directory", directory},
                          {"recordings", nlohmann::json::array()}};
  std::string text;
  for (auto& [when, path] : files) {
    auto recording = recording::Recording::open(path);
    std::string name = path.stem();
    if (!recording) {
      document["recordings"].push_back(
          {{"name", name}, {"path", path.string()}, {"error", recording.error().message}});
      text += fmt::format("{:<20} cannot be read: {}\n", name, recording.error().message);
      continue;
    }
    uint64_t beside = 0;
    for (const recording::SideFileInfo& file : recording::listSideFiles(path)) beside += file.bytes;
    std::string how = recording->end() ? endText(*recording->end()) : "cut off";
    document["recordings"].push_back({{"name", name},
                                      {"path", path.string()},
                                      {"argv", recording->meta().argv},
                                      {"created", recording->meta().created},
                                      {"bytes", recording->fileSize()},
                                      {"indexBytes", beside},
                                      {"how", how}});
    text += fmt::format("{:<20} {}  {:>8}  {:<26} {}\n", name, recording->meta().created,
                        humanSize(recording->fileSize() + beside), how, shellCommand(recording->meta().argv));
  }
  for (const recording::Leftover& left : recording::leftoversIn(directory)) {
    std::string name = left.file.filename();
    std::string how = left.isGrowing ? "is being recorded" : "left by a recorder that was killed";
    std::error_code ignored;
    uint64_t bytes = fs::file_size(left.file, ignored);
    document["recordings"].push_back({{"name", name},
                                      {"path", left.file.string()},
                                      {"bytes", bytes},
                                      {"how", how},
                                      {"leftover", !left.isGrowing}});
    text += fmt::format("{:<20} {:>8}  {}{}\n", name, humanSize(bytes), how,
                        left.isGrowing ? "" : ": info, show and remove take this name");
  }
  if (text.empty()) text = fmt::format("no recordings in {}\n", directory);
  FL_CHECK(context.json ? context.answer(document) : context.answer(text));
  return kAnswered;
}

} // namespace

void addList(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("list", "The recordings made so far, newest first");
  addCommonOptions(*command, context);
  auto directory = std::make_shared<std::string>();
  command->add_option("directory", *directory, "Look here instead")->type_name("DIR");
  command->callback(
      [directory, &context] { context.run([&] { return listRecordings(context, *directory); }); });
}

} // namespace faultline::cli
