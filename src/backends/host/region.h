// One rank's share of the arena, and the memory that is handed out from it.
#pragma once

#include "backends/host/arena.h"
#include "backends/host/control.h"
#include "comm/buffer.h"
#include "devices/cpu/cpu_device.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace linerate::host {

// Hands out ranges of offsets and takes them back, first fit; neighbours that are free become one.
// It touches no memory. Used by one thread at a time.
class RangeAllocator {
 public:
  // Manages offsets [begin, begin + bytes).
  RangeAllocator(std::size_t begin, std::size_t bytes);

  // The offset of `bytes` free bytes, a multiple of `alignment` (a power of two); nothing when no
  // free range is large enough. REQUIRES: bytes > 0.
  std::optional<std::size_t> take(std::size_t bytes, std::size_t alignment);

  // Returns a range that take() yielded, whole, once.
  void give_back(std::size_t offset, std::size_t bytes);

  std::size_t largest_free_bytes() const;

 private:
  std::map<std::size_t, std::size_t> free_;  // offset -> bytes
};

// What one rank allocates from. Any thread may call it. Memory handed out keeps the region and with
// it the mapping alive.
class Region : public std::enable_shared_from_this<Region> {
 public:
  // The region of world rank `rank`; that rank's process has one such object.
  Region(std::shared_ptr<const Arena> arena, int rank);

  const Arena& arena() const { return *arena_; }

  // `bytes` aligned to a cache line, large ones to a page or a huge page; present, and placed by
  // the calling thread. Throws Error when the region or the machine's memory is used up.
  Buffer allocate(std::size_t bytes, MemoryKind kind);

  // Offset of a new control block in its initial state, to which `nranks` ranks count as attached,
  // with `more` zero bytes behind it. Its memory is used again once all of them have detached.
  std::size_t allocate_control(int nranks, std::size_t more = 0);

 private:
  struct Range {
    std::size_t offset = 0;
    std::size_t bytes = 0;
  };

  Range take(std::size_t bytes, std::size_t alignment);
  void give_back(const Range& range) noexcept;
  void reclaim_controls();

  std::shared_ptr<const Arena> arena_;
  const int rank_;
  FreeMemoryCheck room_;
  std::mutex mutex_;  // guards what follows
  RangeAllocator ranges_;
  std::vector<Range> controls_;
};

}  // namespace linerate::host
