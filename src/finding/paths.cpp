#include "finding/paths.h"

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

} // namespace faultline::finding
