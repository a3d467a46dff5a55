// How much other memory the calls of a window touch before they come back to the same bytes.
#pragma once

#include "model/memory_bound.h"
#include "model/model.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linerate {

// Where the spare slot lies.
enum class Spare : std::uint8_t {
  none,        // there is no memory for it
  own_buffer,  // in the spare buffer
  behind,      // behind the slots that calls slide over, where the spare buffer is too small
};

// How many slots calls slide over, and where the spare slot is.
struct Slots {
  std::size_t sliding = 1;
  Spare spare = Spare::none;
};

// A rank's buffers, in which each call has a slot.
struct SlotBuffers {
  std::size_t bytes = 0;        // of the send buffer, and of the recv buffer
  std::size_t spare_bytes = 0;  // of the spare buffer; 0: there is none
  bool slides = true;           // false: all calls but the last share one slot
};

// The slots of `stride` bytes.
Slots buffer_slots(std::size_t stride, const SlotBuffers& buffers);

// Calls slide over slots (bench/layout.h), which were filled before. Each window begins with the
// same slot; its last call works on the spare slot, which is filled right before the window.
struct BufferReuse {
  SlotBuffers buffers{};
  std::uint64_t calls = 1;       // in a window
  std::uint64_t warm_calls = 1;  // before it
  std::vector<int> nodes{};      // of each rank; empty: all share one memory
};

// Of a window's calls, on the node that moves most.
Footprint footprint_of(const ModeledCall& call, const BufferReuse& reuse);

}  // namespace linerate
