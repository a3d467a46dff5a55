// Where a case works inside a rank's buffers: one slot per call, sliding to defeat caches, and a
// spare slot for the call that is verified.
#pragma once

#include "bench/plan.h"
#include "bench/session.h"
#include "model/buffer_reuse.h"

#include <cstddef>
#include <vector>

namespace linerate {

// Names the slot that only the last call of a window writes to.
inline constexpr std::size_t kSpareSlot = SIZE_MAX;

// Yields the slots of `stride` bytes. With Sliding::fixed all calls but the last share one slot.
Slots slots_of(std::size_t stride, const BufferSizes& sizes, Sliding sliding);

// The slots of one case on one rank. A slot is `stride` bytes of both buffers; calls slide over
// `slots.sliding` of them. The last call of a window writes to the spare slot, so that it can be
// verified: what it leaves there, no other call wrote. Out of place it reads slot 0's input, which
// no call changes; in place its input lies in the spare slot itself.
struct Layout {
  Shape shape;
  std::size_t element_bytes = 1;
  std::size_t stride = 0;  // bytes of a slot
  Slots slots{};
  std::size_t lead = 0;  // bytes in front of slot 0 (-u)
  Placement placement = Placement::out_of_place;

  bool has_spare() const { return slots.spare != Spare::none; }

  // The views of a slot; in place both lie on the receiving side.
  ConstView send_view(const LocalRank& local, std::size_t slot) const;
  View recv_view(const LocalRank& local, std::size_t slot) const;
  // The bytes of the receiving side that a slot may use, in place or not.
  View recv_slot(const LocalRank& local, std::size_t slot) const;

 private:
  View received(const LocalRank& local, std::size_t slot, const Range& elements) const;
};

// Of `what` on a rank whose buffers have these sizes.
Layout layout_of(const Sizing& sizing, const Case& what, Placement placement,
                 const BenchConfig& config, const BufferSizes& sizes);

// Bytes that the largest case needs of one buffer, over all ranks of a group, without the lead.
std::size_t largest_case(const std::vector<Case>& cases, int nranks, const TrafficMatrix* traffic);

// Buffers of `asked` bytes (-e) as in nccl-tests, so that calls slide over as many slots, and of no
// fewer than the largest case needs, where a rank has `memory_bytes` for all its buffers. The spare
// buffer holds the largest case, or as much as the memory leaves.
BufferSizes buffer_sizes(std::size_t asked, std::size_t largest, std::size_t memory_bytes);

}  // namespace linerate
