// The models of outside functions, by linker name. The standard ones know the C library and the parts of
// the C++ library that no header has; a user's own text, in the same language, adds to them and overrides
// them (docs/models.md).
//
//   CallModels models = CallModels::standard();
//   FL_TRY(mine, CallModels::parse(text, "my.models"));
//   models.add(mine);
//   if (const CallModel* model = models.find("strcpy")) ...
#pragma once

#include "base/result.h"
#include "depend/call_model.h"

#include <memory>
#include <unordered_map>

namespace faultline::depend {

class CallModels {
public:
  static const CallModels& standard();
  // Errors begin with "name:line:".
  static Result<CallModels> parse(std::string_view text, std::string_view name = "models");

  // What the others say replaces what is here.
  void add(const CallModels& others);
  const CallModel* find(std::string_view linkerName) const;
  size_t size() const { return models_.size(); }

private:
  friend class ModelParser;
  std::unordered_map<std::string, std::shared_ptr<const CallModel>> models_;
};

// The text of the standard models.
std::string_view standardModelsText();

} // namespace faultline::depend
