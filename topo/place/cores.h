// A machine's cores, as ranks can be bound to them, and their shares.
#pragma once

#include "topo/detect/sysfs_text.h"
#include "topo/system/system.h"

#include <cstdint>
#include <vector>

namespace linerate::topo {

// One physical core that may be used; where nobody tells cores, a hardware thread counts as one.
struct Core {
  ThreadSet threads{};  // those that may be used
  int logical = -1;     // hwloc's number among the cores of its host; -1: not known
};

// The cores of one memory node.
struct NumaCores {
  int numa = 0;
  std::uint64_t host_hash = 0;
  std::vector<Core> cores{};
  bool known = false;  // cores were told; else hardware threads
};

// Those of every memory node in the system's order, without what the system says that this process
// may not use. Where cores are not told, threads come in an order in which equal shares keep those
// of a core together on Linux: numbered one after the other, or the second ones behind all first.
std::vector<NumaCores> cores_of(const System& system);

// The cores of `all` in `n` parts of one after the other, the first ones larger by one core where
// they do not divide; one core for several parts where there are fewer. REQUIRES: n > 0.
std::vector<std::vector<Core>> shares(const std::vector<Core>& all, int n);

// All threads of them.
ThreadSet threads_of(const std::vector<Core>& cores);

}  // namespace linerate::topo
