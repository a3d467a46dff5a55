// Where the calls of a window find their buffers, and so what of the memory they touch: pure.
#pragma once

#include "bench/config.h"
#include "bench/expect/expecter.h"
#include "bench/expect/memory_curve.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linerate {

// Calls slide over places in the ranks' buffers (see Layout), which were filled before.
struct Places {
  Sliding sliding = Sliding::slide;
  std::size_t buffer_bytes = 0;  // of one rank
  std::size_t spare_bytes = 0;   // of its spare buffer
  std::uint64_t calls = 1;       // of a window; each window begins at the same place
  std::uint64_t warm_calls = 1;  // before it, there too
  std::vector<int> nodes{};      // of each rank; empty: all share one memory
};

// What the calls of a window touch, on the node that moves most.
Touched touched_by(const SizedCase& what, const Places& places);

}  // namespace linerate
