// Follows the slots of a window: filled, warmed up, then used in turn.
#include "model/buffer_reuse.h"

#include "model/traffic.h"

#include <algorithm>
#include <map>

namespace linerate {
namespace {

struct NodeTraffic {
  MemoryTraffic traffic{};
  int nranks = 0, readers = 0, writers = 0;

  void add(const MemoryTraffic& rank) {
    traffic += rank;
    ++nranks;
    readers += rank.read > 0;
    writers += rank.written > 0;
  }
  std::size_t total() const { return traffic.read + traffic.written; }
};

NodeTraffic busiest_node(const ModeledCall& call, const std::vector<int>& nodes) {
  const auto by_rank = memory_traffic(call);
  std::map<int, NodeTraffic> all;
  for (std::size_t rank = 0; rank < by_rank.size(); ++rank)
    all[nodes.empty() ? 0 : nodes[rank]].add(by_rank[rank]);
  return std::ranges::max_element(all, {}, [](const auto& entry) { return entry.second.total(); })
      ->second;
}

// One slot, over all ranks of a node.
struct Slot {
  double call_bytes = 0;    // that a call touches
  double filled_bytes = 0;  // both buffers of each rank
};

// A window's call finds its slot as one of four left it: the filling, a warm-up call, the call one
// round before, or, for the verified call on the spare slot, the filling with all other calls
// since.
std::vector<Reuse> reuse_by_call(const Slot& slot, const Slots& slots, const BufferReuse& reuse) {
  const auto calls = std::max<std::uint64_t>(1, reuse.calls);
  const std::uint64_t spare = slots.spare == Spare::none ? 0 : 1;
  const std::uint64_t sliding_slots = slots.sliding, nslots = sliding_slots + spare;
  const auto sliding_calls = calls - spare;
  const auto used = std::min(sliding_slots, sliding_calls);
  const bool all_warmed = reuse.warm_calls >= sliding_slots;
  const auto warmed = all_warmed ? reuse.warm_calls % sliding_slots : reuse.warm_calls;
  const auto warm = std::min(used, warmed);
  const auto filled = all_warmed ? 0 : used - warm;
  const auto filled_slots = std::min(nslots, std::max(calls, reuse.warm_calls));
  const auto part = [&](std::uint64_t count, double bytes, std::uint64_t slots_between) {
    return Reuse{.fraction = static_cast<double>(count) / static_cast<double>(calls),
                 .distance_bytes = bytes * static_cast<double>(slots_between)};
  };
  auto last = part(spare, slot.call_bytes, used);
  last.distance_bytes += slot.filled_bytes;
  return {part(filled, slot.filled_bytes, filled_slots), part(warm, slot.call_bytes, warmed),
          part(sliding_calls - filled - warm, slot.call_bytes, sliding_slots), last};
}

}  // namespace

Slots buffer_slots(std::size_t stride, const SlotBuffers& buffers) {
  const bool slides = buffers.slides && stride > 0;
  const auto room = slides ? std::max<std::size_t>(1, buffers.bytes / stride) : 1;
  if (buffers.spare_bytes > 0 && stride <= buffers.spare_bytes) return {room, Spare::own_buffer};
  return room > 1 ? Slots{room - 1, Spare::behind} : Slots{};
}

Footprint footprint_of(const ModeledCall& call, const BufferReuse& reuse) {
  const auto node = busiest_node(call, reuse.nodes);
  const auto bytes = [&](std::size_t elements) {
    return static_cast<double>(elements) * call.element_bytes();
  };
  const auto& traffic = node.traffic;
  const double active = std::max(node.readers, node.writers);
  Footprint footprint{.read_bytes = bytes(traffic.read),
                      .written_bytes = bytes(traffic.written),
                      .updated_bytes = bytes(traffic.updated),
                      .exchanges = traffic.exchanged > 0,
                      .active_rank_fraction = active / node.nranks};
  const auto stride = row_bytes(*call.collective, call.sizing, call.type);
  const auto slots = buffer_slots(stride, reuse.buffers);
  const double call_bytes = bytes(traffic.read + traffic.written - traffic.updated);
  const double both_buffers = 2 * static_cast<double>(stride) * node.nranks;
  footprint.reuse = reuse_by_call(
      {.call_bytes = call_bytes, .filled_bytes = std::max(call_bytes, both_buffers)}, slots, reuse);
  return footprint;
}

}  // namespace linerate
