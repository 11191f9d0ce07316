// faultline info: what a recording is of, how the run ended, what is in the file.
#include "base/text.h"
#include "cli/run.h"
#include "recording/side_files.h"

namespace faultline::cli {
namespace {

nlohmann::json describe(const recording::Recording& r, const std::string& path) {
  const recording::Meta& meta = r.meta();
  nlohmann::json document{
      {"schema", "faultline/1"},
      {"technique", "info"},
      {"program", meta.program},
      {"recording", path},
      {"argv", meta.argv},
      {"cwd", meta.cwd},
      {"created", meta.created},
      {"programId", meta.programId},
      {"variant", meta.variant},
      {"input", meta.input},
      {"objects", nlohmann::json::array()},
      {"caveats", r.caveats()},
      {"stats", {{"bytes", r.fileSize()}, {"rawBytes", r.logRawBytes()}, {"chunks", r.logChunks()}}}};
  for (const recording::LoadedObject& object : r.objects()) document["objects"].push_back(object.path);
  if (!meta.child.number.empty())
    document["child"] = {
        {"number", meta.child.number}, {"pid", meta.child.pid}, {"recording", meta.child.recording}};
  if (auto start = r.start()) document["start"] = start->time;
  for (const recording::SideFileInfo& file : recording::listSideFiles(path))
    document["index"].push_back({{"name", file.name}, {"bytes", file.bytes}});
  if (r.end()) {
    document["forks"] = r.end()->forks;
    document["end"] = endJson(*r.end());
    document["stats"]["seconds"] = r.end()->seconds;
    document["stats"]["records"] = r.end()->records;
    document["stats"]["epochs"] = r.end()->epoch;
  }
  return document;
}

std::string render(const recording::Recording& r, const nlohmann::json& document) {
  const recording::Meta& meta = r.meta();
  std::string text;
  auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{:<10} {}\n", name, value);
  };
  line("program", meta.program);
  line("command", shellCommand(meta.argv));
  line("directory", meta.cwd);
  if (!meta.child.number.empty())
    line("process",
         fmt::format("child {} (process {}) of {}", meta.child.number, meta.child.pid, meta.child.recording));
  for (const recording::LoadedObject& object : r.objects()) line("opened", object.path);
  line("recorded", meta.created);
  line("input", meta.input);
  line("ended", r.end() ? fmt::format("{} after {}", endText(*r.end()), humanDuration(r.end()->seconds))
                        : "the recording is cut off");
  line("file", fmt::format("{} ({} of log in {} chunks)", humanSize(r.fileSize()), humanSize(r.logRawBytes()),
                           r.logChunks()));
  if (auto start = r.start())
    line("begins", fmt::format("at instruction {}: only the end of the run was kept (--last {})",
                               withThousands(start->time), humanSize(meta.last)));
  for (const auto& file : document.value("index", nlohmann::json::array()))
    line("index", fmt::format("{} of {}, kept beside the file to answer sooner",
                              humanSize(file["bytes"].get<uint64_t>()), file["name"].get<std::string>()));
  for (const auto& caveat : document["caveats"]) line("caveat", caveat.get<std::string>());
  return text;
}

Result<int> info(const Context& context, const RunOptions& options) {
  FL_TRY(path, recordingFor(context, options));
  FL_TRY(recording, recording::Recording::open(path));
  nlohmann::json document = describe(recording, path.string());
  FL_CHECK(context.json ? context.answer(document) : context.answer(render(recording, document)));
  return kAnswered;
}

} // namespace

void addInfo(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("info", "What a recording is of, and how the run ended");
  addCommonOptions(*command, context);
  auto options = std::make_shared<RunOptions>();
  addRunOptions(*command, *options);
  command->callback([options, &context] { context.run([&] { return info(context, *options); }); });
}

} // namespace faultline::cli
