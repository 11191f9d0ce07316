// The variants that this command has found or made: to find one again costs some milliseconds (its libraries
// are asked for, our own file is hashed), and it stays the same while the command runs. From any thread.
#pragma once

#include "compiler/variant.h"

#include <map>
#include <mutex>
#include <set>

namespace faultline::cli {

class KnownVariants {
public:
  std::optional<compiler::Variant> find(const std::filesystem::path& program,
                                        compiler::VariantKind kind) const {
    std::lock_guard lock(mutex_);
    auto found = known_.find({program.string(), kind});
    return found == known_.end() ? std::nullopt : std::optional(found->second);
  }
  void store(const std::filesystem::path& program, compiler::VariantKind kind,
             const compiler::Variant& variant) {
    std::lock_guard lock(mutex_);
    known_.insert_or_assign({program.string(), kind}, variant);
  }
  // Whether nobody has looked yet for all that there are of it.
  bool looksFirst(const std::filesystem::path& program) {
    std::lock_guard lock(mutex_);
    return looked_.insert(program.string()).second;
  }

private:
  mutable std::mutex mutex_;
  std::set<std::string> looked_;
  std::map<std::pair<std::string, compiler::VariantKind>, compiler::Variant> known_;
};

} // namespace faultline::cli
