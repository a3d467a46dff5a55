// See host_bound.h.
#include "bench/expect/host_bound.h"

#include "base/units.h"
#include "bench/expect/moved.h"

#include <algorithm>
#include <map>

namespace linerate {
namespace {

struct OnNode {
  Moved moved{};
  int nranks = 0;

  std::size_t total() const { return moved.read + moved.written; }
};

OnNode busiest_node(const SizedCase& what, const std::vector<int>& nodes) {
  const auto& collective = *what.what.collective;
  if (nodes.empty())
    return {.moved = moved_of(collective, what.sizing, what.what.root, what.placement),
            .nranks = what.sizing.nranks};
  const auto moved = moved_by_rank(collective, what.sizing, what.what.root, what.placement);
  std::map<int, OnNode> all;
  for (std::size_t rank = 0; rank < moved.size(); ++rank) {
    auto& node = all[nodes[rank]];
    node.moved += moved[rank];
    ++node.nranks;
  }
  const auto most =
      std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second.total(); });
  return most->second;
}

}  // namespace

Touched touched_by(const SizedCase& what, const Places& places) {
  const auto& collective = *what.what.collective;
  const auto [moved, nranks] = busiest_node(what, places.nodes);
  const auto element = static_cast<double>(bytes_of(what.what.type));
  Touched touched{.read_bytes = static_cast<double>(moved.read) * element,
                  .written_bytes = static_cast<double>(moved.written) * element,
                  .in_place = what.placement == Placement::in_place};
  const double of_call = touched.in_place ? std::max(touched.read_bytes, touched.written_bytes)
                                          : touched.read_bytes + touched.written_bytes;
  const auto stride = row_bytes(collective, what.sizing, what.what.type);
  const bool slides = places.sliding == Sliding::slide && stride > 0;
  const auto slots = slides ? std::max<std::uint64_t>(1, places.buffer_bytes / stride) : 1;
  const auto used = std::min(slots, places.calls);
  // A call comes back to what the window touched, or to what was filled: both buffers of each rank.
  const double filled = 2 * static_cast<double>(stride) * nranks;
  const double of_place = used > places.warm_calls ? std::max(of_call, filled) : of_call;
  touched.footprint_bytes = of_place * static_cast<double>(used);
  return touched;
}

double sure_part(const HostLimits& limits) {
  constexpr double kCrowded = 0.5;
  return limits.crowded ? kCrowded : 1;
}

double sure_latency_us(const HostLimits& limits) { return limits.crowded ? 0 : limits.latency_us; }

double low_below(const HostLimits& limits, bool by_memory, const Touched& touched) {
  constexpr double kLow = 0.5, kLowBetweenCores = 0.15;
  const bool beyond_caches = limits.memory.beyond_caches(touched.footprint_bytes, limits.l3_bytes);
  const double low = limits.direct && by_memory && beyond_caches ? kLow : kLowBetweenCores;
  return low * sure_part(limits);
}

std::optional<Expectation> host_bound(const SizedCase& what, const HostLimits& limits,
                                      const Touched& touched) {
  const auto& collective = *what.what.collective;
  const double factor = collective.bus_factor(what.sizing.nranks);
  if (factor <= 0 || limits.memory.empty()) return std::nullopt;
  const double memory_us = sure_part(limits) * limits.memory.least_us(touched);
  const double time_us = memory_us + sure_latency_us(limits);
  const bool by_memory = memory_us >= limits.latency_us;
  if (time_us <= 0 || (limits.crowded && !by_memory)) return std::nullopt;
  const double healthy_us = memory_us + limits.latency_us;
  const double bytes = static_cast<double>(collective.algbw_count(what.sizing)) *
                       static_cast<double>(bytes_of(what.what.type));
  return Expectation{.busbw_gbps = bytes / time_us / kBytesPerUsOfGbps * factor,
                     .bound_by = by_memory ? "memory" : "latency",
                     .low_below = low_below(limits, by_memory, touched) * time_us / healthy_us};
}

}  // namespace linerate
