// The annotated source of a page: the marked lines with those around them, warm where a suspect is, with the
// steps of the chains and the values beside them.
#pragma once

#include "report/html.h"
#include "report/marks.h"

namespace faultline::report {

class HtmlSource {
public:
  HtmlSource(const finding::Explanation& explanation, SourceFiles& files, const HtmlOptions& options);

  // "#f0L7" if the page shows that line, else empty.
  std::string anchor(const finding::Place& place) const;
  // "src/list.c:12", as a link if the page shows it.
  std::string link(const finding::Place& place) const;
  std::string code(const finding::Place& place) const; // of the line, without what is before it

  std::string render() const;

private:
  struct File {
    std::string path;
    std::set<uint32_t> lines;
  };
  void choose();
  std::string line(size_t file, uint32_t number) const;
  std::string details(const Mark& mark) const;

  SourceFiles& files_;
  const HtmlOptions& options_;
  Marks marks_;
  std::vector<std::string> order_;
  std::vector<File> shown_;
  std::vector<std::string> missing_; // files that cannot be read
  size_t left_ = 0;                  // marked lines that are not shown: there would be too many
};

} // namespace faultline::report
