// See range_allocator.h.
#include "backends/host/range_allocator.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace linerate::host {

RangeAllocator::RangeAllocator(std::size_t begin, std::size_t bytes) {
  if (bytes > 0) free_.emplace(begin, bytes);
}

std::optional<std::size_t> RangeAllocator::take(std::size_t bytes, std::size_t alignment) {
  assert(bytes > 0);
  assert(alignment > 0 && (alignment & (alignment - 1)) == 0);
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [begin, size] = *range;
    const std::size_t offset = (begin + alignment - 1) & ~(alignment - 1);
    const std::size_t lost = offset - begin;
    if (lost > size || bytes > size - lost) continue;
    carve(range, offset, bytes);
    return offset;
  }
  return std::nullopt;
}

void RangeAllocator::carve(std::map<std::size_t, std::size_t>::iterator range, std::size_t offset,
                           std::size_t bytes) {
  const auto [begin, size] = *range;
  const std::size_t end = begin + size;
  if (offset > begin)
    range->second = offset - begin;
  else
    free_.erase(range);
  if (offset + bytes < end) free_.emplace(offset + bytes, end - offset - bytes);
}

void RangeAllocator::give_back(std::size_t offset, std::size_t bytes) {
  const auto next = free_.lower_bound(offset);
  assert(next == free_.end() || offset + bytes <= next->first);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    free_.erase(next);
  }
  const auto after = free_.lower_bound(offset);
  if (after != free_.begin()) {
    const auto previous = std::prev(after);
    assert(previous->first + previous->second <= offset);
    if (previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  }
  free_.emplace(offset, bytes);
}

std::size_t RangeAllocator::largest_free_bytes() const {
  std::size_t largest = 0;
  for (const auto& [offset, bytes] : free_) largest = std::max(largest, bytes);
  return largest;
}

}  // namespace linerate::host
