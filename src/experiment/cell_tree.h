// Plans the file system that a contained program sees: all that we see, at the same paths, but what it writes
// goes to a layer that is thrown away.
//
// An overlay cannot reach across a mount point, so each directory without one below becomes an overlay, and
// those on the way there are made anew:
//
//   /            has mounts below: directory
//   /etc /usr    overlay
//   /home        has /home/data below: directory
//   /home/ann    overlay          /home/data   overlay
//   /bin         link to usr/bin
//
// /proc, /dev and /sys are no part of the plan; the cell makes its own.
#pragma once

#include "experiment/cell_memory.h"

namespace faultline::experiment {

Result<void> planTree(CellMemory& memory);

// Makes sure that these directories, and what is below them, can be written to as they can outside. Returns
// whether the plan has changed. Not for root.
//
// Before a file in the upper layer come all directories on the way to it, with their owners; but who is not
// root cannot make a directory of another owner. So a directory that is ours (or open to all) below one that
// is not gets an overlay of its own: /srv/projects/ann below /srv, /var/tmp below /var.
bool planPlaces(CellMemory& memory, const std::vector<std::string>& directories);

// Where a program is likely to write.
std::vector<std::string> likelyPlaces(const std::string& cwd, const std::vector<std::string>& env,
                                      const recording::KeptFiles* before);

// The places at which something is mounted, from the text of /proc/self/mountinfo.
std::vector<std::string> mountPoints(std::string_view mountinfo);

} // namespace faultline::experiment
