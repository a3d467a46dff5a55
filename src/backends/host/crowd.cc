// See crowd.h.
#include "backends/host/crowd.h"

#include <sched.h>

#include <cstddef>
#include <map>

namespace linerate::host {
namespace {

struct Share {
  CoreSet cores;
  std::size_t nranks = 0;

  void add(const CoreSet& more) {
    cores |= more;
    ++nranks;
  }
  bool crowded() const { return nranks > cores.count(); }
};

}  // namespace

CoreSet usable_cores() {
  CoreSet cores;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return cores.set();
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i] = CPU_ISSET(i, &mask) != 0;
  return cores;
}

bool crowded(std::span<const CoreSet> cores, std::span<const int> processes) {
  Share all;
  std::map<int, Share> of_process;
  for (std::size_t rank = 0; rank < cores.size(); ++rank) {
    all.add(cores[rank]);
    of_process[processes[rank]].add(cores[rank]);
  }
  if (all.crowded()) return true;
  for (const auto& [process, share] : of_process)
    if (share.crowded()) return true;
  return false;
}

}  // namespace linerate::host
