// Which parts of its buffers a window works on: one for warm calls, ever new ones for cold calls.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linerate::benchmarks {

// `count` slots from `first` on.
struct SlotRange {
  std::size_t first = 0;
  std::size_t count = 1;
};

// Hands out a pool's slots in turn, so that a slot comes back only after all others.
class SlotTurns {
 public:
  // For `calls` calls that each want a slot of their own, of a pool of `slots`; fewer where the
  // pool has fewer.
  SlotRange next(std::uint64_t calls, std::size_t slots) {
    if (calls >= slots) return {0, slots};
    if (next_ + calls > slots) next_ = 0;
    const SlotRange range{next_, static_cast<std::size_t>(calls)};
    next_ += range.count;
    return range;
  }

 private:
  std::size_t next_ = 0;
};

}  // namespace linerate::benchmarks
