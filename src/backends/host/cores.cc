#include "backends/host/cores.h"

#include <sched.h>

#include <cstddef>
#include <map>

namespace linerate::host {
namespace {

std::optional<cpu_set_t> own_mask() {
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return std::nullopt;
  return mask;
}

bool has_place(int core) { return core >= 0 && core < CPU_SETSIZE; }

struct Share {
  CoreSet cores;
  std::size_t nranks = 0;

  void add(const CoreSet& more) {
    cores |= more;
    ++nranks;
  }
  bool oversubscribed() const { return nranks > cores.count(); }
};

}  // namespace

int current_core() { return sched_getcpu(); }

void move_from(std::span<const int> taken) noexcept {
  const auto allowed = own_mask();
  if (!allowed) return;
  cpu_set_t free = *allowed;
  for (const int core : taken)
    if (has_place(core)) CPU_CLR(static_cast<std::size_t>(core), &free);
  if (CPU_COUNT(&free) == 0 || sched_setaffinity(0, sizeof(free), &free) != 0) return;
  (void)sched_setaffinity(0, sizeof(*allowed), &*allowed);
}

CoreStep core_step(std::span<const CoreMark> marks, int rank) {
  const auto own = static_cast<std::size_t>(rank);
  bool shared = false;
  for (std::size_t peer = 0; peer < marks.size(); ++peer) {
    if (peer == own || marks[peer].core != marks[own].core) continue;
    if (marks[peer].stays || (peer < own && !marks[own].stays)) return CoreStep::leave;
    shared = true;
  }
  return shared ? CoreStep::none : CoreStep::stay;
}

void OwnCore::stay(int core) noexcept {
  if (stays() || !has_place(core)) return;
  before_ = own_mask();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(core), &one);
  if (before_ && sched_setaffinity(0, sizeof(one), &one) != 0) before_.reset();
}

OwnCore::~OwnCore() {
  if (before_) (void)sched_setaffinity(0, sizeof(*before_), &*before_);
}

CoreSet usable_cores() {
  CoreSet cores;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  if (sched_getaffinity(0, sizeof(mask), &mask) != 0) return cores.set();
  for (std::size_t i = 0; i < cores.size(); ++i) cores[i] = CPU_ISSET(i, &mask) != 0;
  return cores;
}

bool oversubscribed(std::span<const CoreSet> cores, std::span<const int> processes) {
  Share all;
  std::map<int, Share> of_process;
  for (std::size_t rank = 0; rank < cores.size(); ++rank) {
    all.add(cores[rank]);
    of_process[processes[rank]].add(cores[rank]);
  }
  if (all.oversubscribed()) return true;
  for (const auto& [process, share] : of_process)
    if (share.oversubscribed()) return true;
  return false;
}

}  // namespace linerate::host
