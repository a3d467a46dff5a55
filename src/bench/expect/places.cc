// See places.h.
#include "bench/expect/places.h"

#include "bench/expect/moved.h"
#include "bench/layout.h"

#include <algorithm>
#include <map>

namespace linerate {
namespace {

struct OnNode {
  Moved moved{};
  int nranks = 0, readers = 0, writers = 0;

  void add(const Moved& rank) {
    moved += rank;
    ++nranks;
    readers += rank.read > 0;
    writers += rank.written > 0;
  }
  std::size_t total() const { return moved.read + moved.written; }
};

OnNode busiest_node(const SizedCase& what, const std::vector<int>& nodes) {
  const auto moved =
      moved_by_rank(*what.what.collective, what.sizing, what.what.root, what.placement);
  std::map<int, OnNode> all;
  for (std::size_t rank = 0; rank < moved.size(); ++rank)
    all[nodes.empty() ? 0 : nodes[rank]].add(moved[rank]);
  const auto most =
      std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second.total(); });
  return most->second;
}

// The memory of one place, over all ranks of a node.
struct Place {
  double call_bytes = 0;    // that a call touches
  double filled_bytes = 0;  // both buffers of each rank
};

// Calls slide over all places but the spare one, which the last call of a window works on alone.
// Without it, a place was touched last when it was filled, by a warm-up call after which these did
// not come round again, or a whole round before. The spare one is filled right before the window.
std::vector<Visits> visits_of(const Place& place, const Slots& slots, const Places& places) {
  const auto calls = std::max<std::uint64_t>(1, places.calls);
  const std::uint64_t spare = slots.spare == Spare::none ? 0 : 1;
  const std::uint64_t sliding_places = slots.sliding, nplaces = sliding_places + spare;
  const auto sliding_calls = calls - spare;
  const auto used = std::min(sliding_places, sliding_calls);
  const bool all_warmed = places.warm_calls >= sliding_places;
  const auto warmed = all_warmed ? places.warm_calls % sliding_places : places.warm_calls;
  const auto warm = std::min(used, warmed);
  const auto filled = all_warmed ? 0 : used - warm;
  const auto filled_places = std::min(nplaces, std::max(calls, places.warm_calls));
  const auto visits = [&](std::uint64_t count, double bytes, std::uint64_t places_between) {
    return Visits{.part = static_cast<double>(count) / static_cast<double>(calls),
                  .footprint_bytes = bytes * static_cast<double>(places_between)};
  };
  auto last = visits(spare, place.call_bytes, used);
  last.footprint_bytes += place.filled_bytes;
  return {visits(filled, place.filled_bytes, filled_places), visits(warm, place.call_bytes, warmed),
          visits(sliding_calls - filled - warm, place.call_bytes, sliding_places), last};
}

}  // namespace

Touched touched_by(const SizedCase& what, const Places& places) {
  const auto node = busiest_node(what, places.nodes);
  const auto bytes = [&](std::size_t elements) {
    return static_cast<double>(elements) * static_cast<double>(bytes_of(what.what.type));
  };
  Touched touched{.read_bytes = bytes(node.moved.read),
                  .written_bytes = bytes(node.moved.written),
                  .updated_bytes = bytes(node.moved.updated),
                  .exchanges = node.moved.exchanged > 0,
                  .movers_part = static_cast<double>(std::max(node.readers, node.writers)) /
                                 static_cast<double>(node.nranks)};
  const auto stride = row_bytes(*what.what.collective, what.sizing, what.what.type);
  const auto slots = slots_of(
      stride, {.bytes = places.buffer_bytes, .spare_bytes = places.spare_bytes}, places.sliding);
  const double call_bytes = bytes(node.moved.read + node.moved.written - node.moved.updated);
  const double both_buffers = 2 * static_cast<double>(stride) * node.nranks;
  touched.visits =
      visits_of({.call_bytes = call_bytes, .filled_bytes = std::max(call_bytes, both_buffers)},
                slots, places);
  return touched;
}

}  // namespace linerate
