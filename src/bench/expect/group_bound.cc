// See group_bound.h.
#include "bench/expect/group_bound.h"

#include "bench/expect/joint_windows.h"

#include <algorithm>

namespace linerate {
namespace {

// Over all windows, microseconds.
struct GroupTimes {
  double took_us = 0;
  double least_us = 0;  // by memory
  double work_us = 0;   // its own bytes, as fast as memory serves all ranks
};

std::vector<GroupTimes> times_of(const GroupedCase& what, const std::vector<double>& call_us) {
  std::vector<GroupTimes> times(what.groups.size());
  for (const auto& spans : what.windows) {
    std::vector<JointWindow> windows;
    for (std::size_t g = 0; g < spans.size(); ++g)
      windows.push_back(
          {.span = spans[g], .work_us = call_us[g] * static_cast<double>(what.calls)});
    for (std::size_t g = 0; g < windows.size(); ++g) {
      times[g].took_us += windows[g].span.us();
      times[g].least_us += least_us(windows, g);
      times[g].work_us += windows[g].work_us;
    }
  }
  return times;
}

int nranks_of(const GroupedCase& what) {
  int nranks = 0;
  for (const auto& group : what.groups) nranks += group.sizing.nranks;
  return nranks;
}

}  // namespace

std::vector<Touched> touched_together(const GroupedCase& what, const Places& places) {
  std::vector<Touched> touched;
  std::vector<double> footprints;  // in the order of visits
  for (const auto& group : what.groups) {
    auto& one = touched.emplace_back(touched_by({what.what, what.placement, group.sizing}, places));
    footprints.resize(one.visits.size());
    for (std::size_t v = 0; v < footprints.size(); ++v)
      footprints[v] += one.visits[v].footprint_bytes;
    // The result of one rank alone is its input, which in place lies there.
    if (group.sizing.nranks == 1 && what.placement == Placement::in_place)
      one.read_bytes = one.written_bytes = one.updated_bytes = 0;
  }
  for (auto& one : touched)
    for (std::size_t v = 0; v < footprints.size(); ++v)
      one.visits[v].footprint_bytes = footprints[v];
  return touched;
}

std::vector<std::optional<Expectation>> group_bounds(const GroupedCase& what,
                                                     const HostLimits& limits,
                                                     const std::vector<Touched>& touched) {
  std::vector<double> call_us;
  for (const auto& one : touched)
    call_us.push_back(sure_part(limits) * limits.memory.least_us(one));
  const auto times = times_of(what, call_us);
  const double calls = static_cast<double>(what.calls) * static_cast<double>(what.windows.size());
  const int nranks = nranks_of(what);
  std::vector<std::optional<Expectation>> bounds(what.groups.size());
  for (std::size_t g = 0; g < bounds.size(); ++g) {
    const auto& [sizing, busbw_gbps] = what.groups[g];
    const auto& [took_us, memory_us, work_us] = times[g];
    // Among fewer ranks a message may be on its way for a shorter time.
    const double part = static_cast<double>(sizing.nranks) / nranks;
    const double latency_us = limits.latency_us * calls;
    const double least = std::max(memory_us, work_us + part * sure_latency_us(limits) * calls);
    const double healthy = std::max(least, work_us / part + latency_us);
    const bool by_memory = memory_us >= latency_us;
    if (sizing.nranks < 2 || busbw_gbps <= 0 || took_us <= 0 || least <= 0) continue;
    if (limits.crowded && !by_memory) continue;
    bounds[g] = {.busbw_gbps = busbw_gbps * took_us / least,
                 .bound_by = by_memory ? "memory" : "latency",
                 .low_below = low_below(limits, by_memory, touched[g]) * least / healthy};
  }
  return bounds;
}

}  // namespace linerate
