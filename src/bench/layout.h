// Where a case works inside a rank's buffers: one slot per call, sliding to defeat caches.
#pragma once

#include "bench/plan.h"
#include "bench/session.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linerate {

// The slots of one case on one rank. A slot is `stride` bytes of both buffers; calls slide over the
// first slots, and the last slot is touched by nothing but the call that is verified, where there
// is more than one.
struct Layout {
  Shape shape;
  std::size_t element_bytes = 1;
  std::size_t stride = 0;  // bytes of a slot
  std::size_t slots = 1;
  std::size_t lead = 0;  // bytes in front of slot 0 (-u)
  Placement placement = Placement::out_of_place;

  bool has_spare() const { return slots > 1; }
  std::size_t last_slot() const { return slots - 1; }
  std::size_t sliding_slots() const { return has_spare() ? slots - 1 : 1; }
  std::size_t offset(std::size_t slot) const { return lead + slot * stride; }

  // The views of a slot; in place both lie in `recv`.
  ConstView send_view(const LocalRank& local, std::size_t slot) const;
  View recv_view(const LocalRank& local, std::size_t slot) const;
  // The bytes of the recv buffer that a slot may use, in place or not.
  View recv_slot(const LocalRank& local, std::size_t slot) const;
};

// How many there are in a buffer of `buffer_bytes`: 1 where calls do not slide.
std::size_t slots_of(std::size_t stride, std::size_t buffer_bytes, Sliding sliding);

// `buffer_bytes`: of one buffer without the lead.
Layout layout_of(const Sizing& sizing, const Case& what, Placement placement,
                 const RunConfig& config, std::size_t buffer_bytes);

// Bytes that one buffer needs for every case of the plan, over all ranks of a group, without the
// lead.
std::size_t buffer_bytes(const std::vector<Case>& cases, int nranks, const TrafficMatrix* traffic);

}  // namespace linerate
