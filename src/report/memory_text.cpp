#include "report/memory_text.h"

#include "report/terminal.h"

#include <fmt/format.h>

namespace faultline::report {
namespace {

std::string objectLine(const char* what, const finding::Place& place, const Screen& screen) {
  std::string function = place.function.empty() ? "" : fmt::format(" in {}()", place.function);
  return fmt::format("   {} {}{}\n", what, placeText(place, screen), function);
}

const char* madeWord(const finding::MemoryObjectInfo& object) {
  return object.kind == "heap" ? "allocated at" : "declared at";
}

const char* endedWord(const finding::MemoryErrorInfo& error) {
  return error.kind == "use-after-return" ? "its function returned at" : "given back at";
}

std::string render(const finding::MemoryErrorInfo& e, size_t number, SourceFiles& files,
                   const Screen& screen) {
  std::string function = e.place.function.empty() ? "" : fmt::format(" in {}()", e.place.function);
  std::string out = wrapped(fmt::format("{}. {}{}: {}", number, placeText(e.place, screen), function, e.text),
                            screen.width(), 3) +
                    "\n";
  out += excerpt(files, e.place, screen, {.before = 1, .after = 1, .values = {}});
  for (const finding::Value& v : e.values) out += fmt::format("   {} = {}\n", v.name, v.text);
  if (e.object && e.object->made) out += objectLine(madeWord(*e.object), *e.object->made, screen);
  if (e.object && e.object->ended) {
    out += objectLine(endedWord(e), *e.object->ended, screen);
    for (const finding::Place& place : e.object->endedFor) out += objectLine("  called at", place, screen);
  }
  if (e.within) out += objectLine("within", *e.within, screen);
  return out + fmt::format("   execution {}: faultline show --at @{}\n\n", e.instance, e.time);
}

} // namespace

std::string renderMemory(const finding::MemoryReport& report, SourceFiles& files, const Screen& screen) {
  std::string out;
  if (report.failure) out += wrapped(headline(*report.failure, screen), screen.width(), 2) + "\n\n";
  size_t number = 0;
  for (const finding::MemoryErrorInfo& e : report.errors) {
    if (++number == 1 && report.errors.size() > 1)
      out += "The first is where memory began to be wrong; what follows may be its consequence.\n\n";
    out += render(e, number, files, screen);
  }
  if (report.errors.empty())
    out += report.isComplete ? "No memory error was found.\n" : "No memory error was found so far.\n";
  out += wrapped(fmt::format(
                     "{} instructions followed in {:.1f} s; {} accesses checked, {} by pointers of which "
                     "nobody knows where they came from.",
                     report.stats.value("instructions", uint64_t(0)), report.stats.value("seconds", 0.0),
                     report.stats.value("accesses", uint64_t(0)), report.stats.value("unknown", uint64_t(0))),
                 screen.width(), 0) +
         "\n";
  return out + renderCaveats(report.caveats, screen);
}

} // namespace faultline::report
