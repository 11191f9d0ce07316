// faultline cache: what is kept of built variants, and how to be rid of it.
#include "base/file.h"
#include "base/text.h"
#include "cli/context.h"
#include "compiler/variant.h"

namespace faultline::cli {
namespace {

Result<int> listEntries(const Context& context) {
  FL_TRY(entries, compiler::listCache());
  FL_TRY(root, cacheDir());
  nlohmann::json document{{"schema", "faultline/1"},
                          {"technique", "cache"},
                          {"directory", root.string()},
                          {"variants", nlohmann::json::array()}};
  uint64_t total = 0, units = 0;
  std::string text;
  for (const auto& e : entries) {
    total += e.bytes;
    if (e.program.empty()) {
      ++units;
      continue;
    }
    document["variants"].push_back({{"key", e.key}, {"program", e.program}, {"bytes", e.bytes}});
    text += fmt::format("{}  {:>9}  {}\n", e.key, humanSize(e.bytes), e.program);
  }
  document["bytes"] = total;
  text += fmt::format("{} in {} ({} unit files)\n", humanSize(total), root.string(), units);
  FL_CHECK(context.json ? context.answer(document) : context.answer(text));
  return kAnswered;
}

Result<int> clean(const Context& context, uint64_t limit) {
  FL_TRY(removed, compiler::trimCache(limit));
  FL_CHECK(context.json ? context.answer(nlohmann::json{
                              {"schema", "faultline/1"}, {"technique", "cache"}, {"removed", removed}})
                        : context.answer(fmt::format("removed {}\n", humanSize(removed))));
  return kAnswered;
}

} // namespace

void addCache(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("cache", "List or clean the built variants that are kept");
  addCommonOptions(*command, context);
  auto all = std::make_shared<bool>(false);
  auto limit = std::make_shared<std::string>();
  command->add_flag("--clean", *all, "Remove everything");
  command->add_option("--limit", *limit, "Remove what was used longest ago until SIZE is left, e.g. 500M")
      ->type_name("SIZE");
  command->callback([all, limit, &context] {
    context.run([&]() -> Result<int> {
      if (*all) return clean(context, 0);
      if (limit->empty()) return listEntries(context);
      FL_TRY(bytes, parseSize(*limit));
      return clean(context, bytes);
    });
  });
}

} // namespace faultline::cli
