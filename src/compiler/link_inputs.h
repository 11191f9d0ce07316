// Finds, for each input of a recorded link, the files that stand for it in the second link.
#pragma once

#include "compiler/link_record.h"
#include "compiler/relink.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace faultline::compiler {

class LinkInputs {
public:
  // `links`: all link records of the program, the one to repeat last.
  LinkInputs(const RelinkRequest& request, std::span<const LinkRecord> links, std::string scratch);

  // `text` is the input as it stood on the command line.
  Result<std::vector<std::string>> expand(const LinkInput& input, const std::string& text, bool wholeArchive);

  // Units of the program that no input brought (a linker script named them): they go to the end.
  Result<std::vector<std::string>> unclaimed();

private:
  Result<std::vector<std::string>> expandObject(const LinkInput& input, const std::string& text);
  Result<std::vector<std::string>> expandArchive(const LinkInput& input, const std::string& text, bool whole);
  Result<std::vector<std::string>> membersWithoutRecords(const LinkInput& input);
  Result<std::string> asItWas(const LinkInput& input, const std::string& text) const;
  Result<std::string> fileFor(uint64_t hash);
  Result<std::string> writeOut(const std::string& name, std::string_view bytes);
  bool canReplace(uint64_t hash) const;
  bool takeFromArchive(uint64_t hash);
  void countExplicit(const LinkRecord& link);
  const LinkRecord* partialLink(const LinkInput& input) const;

  const RelinkRequest& request_;
  std::span<const LinkRecord> links_;
  std::string scratch_;
  bool directoryIsThere_ = false;
  std::map<uint64_t, const program::EmbeddedRecord*> units_;
  std::map<uint64_t, int> left_; // copies in the program that an archive may still claim
  std::set<uint64_t> claimed_;
  std::map<uint64_t, std::string> written_;
  int files_ = 0;
};

} // namespace faultline::compiler
