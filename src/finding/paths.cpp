#include "finding/paths.h"

#include <algorithm>
#include <filesystem>

namespace faultline::finding {

std::string absolutePath(std::string_view path, std::string_view directory) {
  if (path.empty()) return {};
  std::filesystem::path whole(path);
  if (whole.is_relative()) whole = std::filesystem::path(directory) / whole;
  return whole.lexically_normal().string();
}

std::string shownPath(std::string_view absolute, std::string_view workingDirectory) {
  while (workingDirectory.size() > 1 && workingDirectory.ends_with('/')) workingDirectory.remove_suffix(1);
  if (workingDirectory.size() <= 1 || !absolute.starts_with(workingDirectory)) return std::string(absolute);
  std::string_view rest = absolute.substr(workingDirectory.size());
  return std::string(rest.size() > 1 && rest[0] == '/' ? rest.substr(1) : absolute);
}

std::string nearPath(std::string_view absolute, std::string_view workingDirectory) {
  namespace fs = std::filesystem;
  constexpr ptrdiff_t kFurthest = 2; // directories up
  std::string shown = shownPath(absolute, workingDirectory);
  if (!fs::path(shown).is_absolute() || workingDirectory.empty()) return shown;
  const fs::path here = fs::path(workingDirectory).lexically_normal(),
                 near = fs::path(shown).lexically_relative(here);
  const ptrdiff_t up = std::count(near.begin(), near.end(), fs::path(".."));
  const ptrdiff_t deep = std::distance(here.begin(), here.end()) - 1 - !here.has_filename(); // below the root
  return up <= kFurthest && up < deep && near.native().size() < shown.size() ? near.string() : shown;
}

} // namespace faultline::finding
