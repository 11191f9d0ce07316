#include "depend/models.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace faultline::depend {

void CallModels::add(const CallModels& others) {
  for (const auto& [name, model] : others.models_) models_[name] = model;
}

const CallModel* CallModels::find(std::string_view name) const {
  auto it = models_.find(std::string(name));
  return it == models_.end() ? nullptr : it->second.get();
}

const CallModels& CallModels::standard() {
  static const CallModels models = [] {
    auto parsed = parse(standardModelsText(), "standard models");
    if (!parsed) { // a test parses them: this cannot be reached by a program that was tested
      fmt::print(stderr, "{}\n", parsed.error().message);
      std::abort();
    }
    return std::move(*parsed);
  }();
  return models;
}

} // namespace faultline::depend
