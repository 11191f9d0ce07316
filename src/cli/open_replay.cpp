#include "cli/open_replay.h"

#include "base/text.h"
#include "compiler/variant.h"

#include <algorithm>

namespace fs = std::filesystem;

namespace faultline::cli {
namespace {

// The likeliest first.
std::vector<VariantKind> kindsFor(const recording::Meta& meta) {
  if (!meta.alters) return {VariantKind::Record, VariantKind::Alter, VariantKind::QuickAlter};
  return {meta.quick ? VariantKind::QuickAlter : VariantKind::Alter};
}

// The variant that ran: from the cache, or made anew from the program, which gives the same one if neither
// the program nor Faultline has changed.
Result<compiler::Variant> variantOf(const Context& context, const recording::Meta& meta) {
  if (auto cached = compiler::cachedVariant(meta.variant)) return cached;
  std::error_code ignored;
  if (!fs::exists(meta.program, ignored))
    return errorf("the program {} is gone, and its variant is not in the cache any more: build it again",
                  meta.program);
  for (VariantKind kind : kindsFor(meta)) {
    FL_TRY(variant, makeVariant(context, meta.program, kind));
    if (variant.programId != meta.programId)
      return errorf("{} has been built anew since this recording was made: record it again", meta.program);
    if (variant.key == meta.variant) return variant;
  }
  return errorf("this recording was made by another version of Faultline: record it again");
}

// The same for a shared object that the program opened.
Result<compiler::Variant> objectVariantOf(const Context& context, const recording::Meta& meta,
                                          const recording::LoadedObject& object) {
  if (auto cached = compiler::cachedVariant(object.variant)) return cached;
  std::error_code ignored;
  if (!fs::exists(object.path, ignored))
    return errorf(
        "{}, which the program opened, is gone, and its variant is not in the cache any more: build it again",
        object.path);
  for (VariantKind kind : kindsFor(meta)) {
    compiler::VariantOptions options{.jobs = context.jobs, .kind = kind, .progress = {}};
    FL_TRY(program, makeVariant(context, meta.program, kind));
    FL_TRY(made, compiler::recordObject(object.path, program, options));
    if (!made || made->programId != object.objectId)
      return errorf("{} has been built anew since this recording was made: record it again", object.path);
    if (made->key == object.variant) return *made;
  }
  return errorf("this recording was made by another version of Faultline: record it again");
}

} // namespace

Result<std::vector<fir::Image>> imagesOf(const compiler::Variant& variant) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (auto& entry : fs::directory_iterator(variant.directory, failed))
    if (entry.path().extension() == ".fir") files.push_back(entry.path());
  if (failed) return errorf("cannot read {}: {}", variant.directory.string(), failed.message());
  std::sort(files.begin(), files.end());
  std::vector<fir::Image> images;
  for (const fs::path& file : files) {
    FL_TRY(image, fir::openImage(file.string()));
    images.push_back(std::move(image));
  }
  return images;
}

Result<OpenRun> openRun(const Context& context, const RunOptions& options, bool leavesNothing) {
  FL_TRY(path, recordingFor(context, options));
  FL_TRY(recording, recording::Recording::open(path));
  FL_TRY(variant, variantOf(context, recording.meta()));
  FL_TRY(images, imagesOf(variant));
  for (const recording::LoadedObject& object : recording.objects()) {
    FL_TRY(opened, objectVariantOf(context, recording.meta(), object));
    FL_TRY(more, imagesOf(opened));
    for (fir::Image& image : more)
      if (std::ranges::none_of(images, [&](const fir::Image& i) { return i.hash == image.hash; }))
        images.push_back(std::move(image));
  }
  FL_TRY(log, recording::LogReader::open(recording.log()));
  replay::ReplayOptions replayOptions;
  replayOptions.endEpoch = recording.lastEpoch();
  replayOptions.start = recording.start();
  if (!leavesNothing) replayOptions.side = std::make_shared<recording::SideFiles>(path, recording.identity());
  FL_TRY(replay, replay::Replay::open(std::move(images), std::move(log), replayOptions));
  std::vector<std::string> caveats = recording.caveats();
  if (replay.start() > 0)
    caveats.push_back(fmt::format("the recording has only the end of the run, from instruction {} on",
                                  withThousands(replay.start())));
  return OpenRun{path, std::move(recording), std::move(replay), std::move(caveats)};
}

} // namespace faultline::cli
