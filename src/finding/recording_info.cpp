#include "finding/recording_info.h"

namespace faultline::finding {

Document toDocument(const RecordingInfo& info) {
  Document out;
  out.technique = "info";
  out.program = info.program;
  out.caveats = info.caveats;
  out.part["recording"] = {
      {"path", info.path}, {"created", info.created}, {"outcome", info.outcome}, {"failed", info.failed}};
  out.stats = {{"seconds", info.seconds},          {"epochs", info.epochs},
               {"records", info.records},          {"raw_bytes", info.rawBytes},
               {"stored_bytes", info.storedBytes}, {"threads", info.threads}};
  return out;
}

Document toDocument(const VerifyReport& report) {
  Document out = toDocument(report.recording);
  out.technique = "verify";
  out.caveats.insert(out.caveats.end(), report.caveats.begin(), report.caveats.end());
  out.part["same"] = report.isSame;
  out.part["checked"] = report.checked;
  if (!report.isSame)
    out.part["difference"] = {
        {"text", report.difference}, {"instance", report.instance}, {"place", toJson(report.place)}};
  out.stats["instructions"] = report.instructions;
  out.stats["replay_seconds"] = report.seconds;
  return out;
}

} // namespace faultline::finding
