// All that needs LLVM, which takes longer to load than most commands take: it lies in a shared object of its
// own, made of the folder ir/, and is opened when first needed. Where the variant of a program is in the
// cache, it is not.
#pragma once

#include "base/result.h"
#include "compiler/debug_level.h"
#include "compiler/inside_names.h"
#include "compiler/variant_kind.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace faultline::compiler {

// Linker names of a unit's functions. Which of the needed ones are inside decides what its variant looks
// like.
struct UnitNames {
  std::vector<std::string> defined; // for others
  std::vector<std::string> needed;  // referred to, without a body here
};

// One unit of a program made anew with hooks in it: an object file to link, and the FIR that replays it.
struct VariantUnit {
  std::string object;
  std::vector<char> fir;
};

using SeeMember = std::function<void(std::string_view name, std::string_view bytes)>;

// What each does stands in the header of the same name in ir/.
struct IrTools {
  Result<UnitNames> (*namesOf)(const std::string& bitcode);
  Result<VariantUnit> (*makeVariantUnit)(const std::string& bitcode, uint64_t hash, const InsideNames& inside,
                                         VariantKind kind);
  Result<void> (*writeCodegenModule)(std::string_view payload, DebugLevel level, std::string_view assembly,
                                     const std::string& path);
  Result<std::string> (*withAssembly)(std::string_view bitcode, std::string_view assembly);
  std::optional<uint64_t> (*hashInBitcode)(std::string_view bitcode);
  Result<void> (*forEachMember)(const std::string& archive, std::string_view bytes, const SeeMember& see);
  Result<std::vector<std::string>> (*expandedWords)(const std::vector<std::string>& words);
};

Result<const IrTools*> irTools();

// The file that they come from.
Result<std::string> irToolsFile();

} // namespace faultline::compiler
