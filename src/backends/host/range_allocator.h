// First-fit allocation of ranges of an address space; knows nothing of the memory behind it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>

namespace linerate::host {

// Free ranges are kept sorted and coalesced. Used by one thread at a time.
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
  void carve(std::map<std::size_t, std::size_t>::iterator range, std::size_t offset,
             std::size_t bytes);

  std::map<std::size_t, std::size_t> free_;  // offset -> bytes
};

}  // namespace linerate::host
