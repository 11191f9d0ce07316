#include "experiment/cell_names.h"

#include "base/file.h"
#include "recording/input.h"

#include <cstdio>
#include <fcntl.h>

namespace faultline::experiment {
namespace {

using recording::FileDescriptor;

bool writeText(const std::string& path, const std::string& text) {
  FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  return file.get() >= 0 && write(file.get(), text.data(), text.size()) == ssize_t(text.size());
}

// All names that we have, each as itself.
std::string allNames(const char* map) {
  std::string out;
  auto text = readFile(map);
  unsigned inside, outside, count;
  const char* at = text ? text->c_str() : "";
  for (int length; sscanf(at, "%u %u %u%n", &inside, &outside, &count, &length) == 3; at += length)
    out += fmt::format("{} {} {}\n", inside, inside, count);
  return out;
}

} // namespace

bool mapNames(pid_t pid) {
  std::string process = fmt::format("/proc/{}/", pid);
  if (geteuid() == 0 && writeText(process + "uid_map", allNames("/proc/self/uid_map")) &&
      writeText(process + "gid_map", allNames("/proc/self/gid_map")))
    return true;
  writeText(process + "setgroups", "deny");
  return writeText(process + "uid_map", fmt::format("{0} {0} 1", geteuid())) &&
         writeText(process + "gid_map", fmt::format("{0} {0} 1", getegid()));
}

} // namespace faultline::experiment
