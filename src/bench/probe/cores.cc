// See cores.h.
#include "bench/probe/cores.h"

#include "base/error.h"

#include <sched.h>

#include <vector>

namespace linerate::probe {
namespace {

std::vector<int> allowed_cores() {
  cpu_set_t mask;
  check_system(::sched_getaffinity(0, sizeof mask, &mask), "sched_getaffinity");
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &mask)) cores.push_back(core);
  return cores;
}

}  // namespace

int ncores() { return static_cast<int>(allowed_cores().size()); }

void pin_this_thread(int index) {
  const auto cores = allowed_cores();
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(cores[static_cast<std::size_t>(index) % cores.size()], &mask);
  check_system(::sched_setaffinity(0, sizeof mask, &mask), "sched_setaffinity");
}

void pin_to(int os_index) noexcept {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(os_index, &mask);
  (void)::sched_setaffinity(0, sizeof mask, &mask);
}

}  // namespace linerate::probe
