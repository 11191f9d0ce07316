#include "cli/cause_browser.h"

#include <iostream>
#include <set>
#include <sstream>

namespace faultline::cli {

using finding::CauseNodeInfo;

size_t pruneCause(finding::CausesReport& report, uint32_t id) {
  std::set<uint32_t> gone;
  // A child stands behind its parent.
  for (const CauseNodeInfo& n : report.nodes)
    if (n.id == id || (n.id != n.parent && gone.contains(n.parent))) gone.insert(n.id);
  std::erase_if(report.nodes, [&](const CauseNodeInfo& n) { return gone.contains(n.id); });
  return gone.size();
}

namespace {

constexpr const char* kHelp = "  N         show cause N with all its statements\n"
                              "  why N     how it leads to the failure\n"
                              "  right N   it is right: it goes, and what only leads there\n"
                              "  list      what is left, level by level\n"
                              "  quit\n";

class Browser {
public:
  Browser(const Context& context, finding::CausesReport report, report::SourceFiles& files,
          const report::Screen& screen)
      : context_(context), report_(std::move(report)), files_(files), screen_(screen) {}

  Result<int> run() {
    FL_CHECK(list());
    FL_CHECK(context_.answer(std::string(kHelp)));
    for (std::string line; std::getline(std::cin, line);) {
      std::istringstream words(line);
      std::string first, second;
      words >> first >> second;
      if (first == "quit" || first == "q") break;
      FL_CHECK(context_.answer(obey(first, second)));
    }
    return kAnswered;
  }

private:
  Result<void> list() {
    return context_.answer(report::renderCauses(report_, files_, screen_, {.mostNodes = 20}));
  }

  // By its number in the list.
  const CauseNodeInfo* node(const std::string& number) const {
    size_t n = 0;
    for (char c : number)
      n = c >= '0' && c <= '9' && n < 1'000'000 ? n * 10 + size_t(c - '0') : ~size_t(0) / 16;
    return number.empty() || n == 0 || n > report_.nodes.size() ? nullptr : &report_.nodes[n - 1];
  }
  size_t numberOf(uint32_t id) const {
    for (size_t k = 0; k < report_.nodes.size(); ++k)
      if (report_.nodes[k].id == id) return k + 1;
    return 0;
  }

  std::string obey(const std::string& first, const std::string& second) {
    if (first.empty()) return "";
    if (first == "list") return report::renderCauses(report_, files_, screen_, {.mostNodes = 20});
    bool isWord = first == "why" || first == "right";
    const CauseNodeInfo* n = node(isWord ? second : first);
    if (!n) return isWord ? fmt::format("there is no cause {}\n", second) : kHelp;
    if (first == "why") return why(*n);
    if (first == "right") return right(*n);
    return report::renderCause(*n, numberOf(n->id), true, files_, screen_);
  }

  std::string why(const CauseNodeInfo& from) {
    std::string out;
    for (const CauseNodeInfo* n = &from; n;) {
      out += report::renderCause(*n, numberOf(n->id), false, files_, screen_);
      const CauseNodeInfo* parent = nullptr;
      for (const CauseNodeInfo& other : report_.nodes)
        if (n->id != n->parent && other.id == n->parent) parent = &other;
      n = parent;
    }
    return out;
  }

  std::string right(const CauseNodeInfo& n) {
    if (n.id == n.parent) return "it is the failure itself: say so of what stands below it\n";
    size_t count = pruneCause(report_, n.id);
    return fmt::format("{} gone, {} left\n", count, report_.nodes.size());
  }

  const Context& context_;
  finding::CausesReport report_;
  report::SourceFiles& files_;
  const report::Screen& screen_;
};

} // namespace

Result<int> browseCauses(const Context& context, finding::CausesReport report, report::SourceFiles& files,
                         const report::Screen& screen) {
  return Browser(context, std::move(report), files, screen).run();
}

} // namespace faultline::cli
