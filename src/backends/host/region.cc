#include "backends/host/region.h"

#include "base/error.h"
#include "base/pages.h"
#include "base/units.h"

#include <fmt/format.h>

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>

namespace linerate::host {
namespace {

// From here on freed pages go back to the system; smaller ranges are soon used again.
constexpr std::size_t kDiscardBytes = std::size_t{64} << 10;

std::size_t alignment_of(std::size_t bytes) {
  if (bytes >= kHugePageBytes) return kHugePageBytes;
  return bytes >= page_bytes() ? page_bytes() : kLineBytes;
}

}  // namespace

RangeAllocator::RangeAllocator(std::size_t begin, std::size_t bytes) {
  if (bytes > 0) free_.emplace(begin, bytes);
}

std::optional<std::size_t> RangeAllocator::take(std::size_t bytes, std::size_t alignment) {
  assert(bytes > 0);
  assert(alignment > 0 && (alignment & (alignment - 1)) == 0);
  for (auto range = free_.begin(); range != free_.end(); ++range) {
    const auto [begin, size] = *range;
    const std::size_t offset = round_up(begin, alignment);
    const std::size_t lost = offset - begin;
    if (lost > size || bytes > size - lost) continue;
    free_.erase(range);
    if (lost > 0) free_.emplace(begin, lost);
    if (lost + bytes < size) free_.emplace(offset + bytes, size - lost - bytes);
    return offset;
  }
  return std::nullopt;
}

void RangeAllocator::give_back(std::size_t offset, std::size_t bytes) {
  auto next = free_.lower_bound(offset);
  assert(next == free_.end() || offset + bytes <= next->first);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    auto& [begin, size] = *std::prev(next);
    assert(begin + size <= offset);
    if (begin + size == offset) {
      size += bytes;
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

Region::Region(std::shared_ptr<const Arena> arena, int rank)
    : arena_(std::move(arena)),
      rank_(rank),
      ranges_(arena_->layout().region_offset(rank), arena_->layout().region_bytes) {}

Buffer Region::allocate(std::size_t bytes, MemoryKind kind) {
  const Range range = take(bytes, alignment_of(bytes));
  if (range.bytes >= kHugePageBytes)
    (void)madvise(arena_->at(range.offset), range.bytes, MADV_HUGEPAGE);
  Buffer buffer({arena_->at(range.offset), bytes}, kind,
                [region = shared_from_this(), range](View) { region->give_back(range); });
  room_.check(range.bytes, "shared memory");
  arena_->populate(range.offset, range.bytes);
  return buffer;
}

std::size_t Region::allocate_control(int nranks, std::size_t more) {
  const std::size_t bytes = round_up(ControlBlock::bytes(nranks) + more, page_bytes());
  {
    const std::lock_guard lock(mutex_);
    reclaim_controls();
  }
  const Range range = take(bytes, page_bytes());
  if (!arena_->discard(range.offset, range.bytes))
    std::memset(arena_->at(range.offset), 0, range.bytes);
  ControlBlock(arena_->at(range.offset), nranks)
      .header()
      .attached.store(static_cast<std::uint64_t>(nranks), std::memory_order_release);
  const std::lock_guard lock(mutex_);
  controls_.push_back(range);
  return range.offset;
}

Region::Range Region::take(std::size_t bytes, std::size_t alignment) {
  const std::lock_guard lock(mutex_);
  if (bytes <= arena_->layout().region_bytes) {
    const std::size_t whole = round_up(std::max<std::size_t>(bytes, 1), kLineBytes);
    if (const auto offset = ranges_.take(whole, alignment)) return {*offset, whole};
  }
  throw OutOfMemory(fmt::format(
      "Rank {} asks for {} of shared memory, but only {} of the {} reserved for it are left in one "
      "piece. Use smaller sizes, or raise the limits of address space and file size (ulimit -v, "
      "-f).",
      rank_, bytes_text(bytes), bytes_text(ranges_.largest_free_bytes()),
      bytes_text(arena_->layout().region_bytes)));
}

void Region::give_back(const Range& range) noexcept {
  if (range.bytes >= kDiscardBytes) (void)arena_->discard(range.offset, range.bytes);
  const std::lock_guard lock(mutex_);
  ranges_.give_back(range.offset, range.bytes);
}

// A group's block is free when its last rank has detached, which may be in another process.
void Region::reclaim_controls() {
  std::erase_if(controls_, [&](const Range& range) {
    const ControlBlock block(arena_->at(range.offset), 1);
    if (block.header().attached.load(std::memory_order_acquire) > 0) return false;
    ranges_.give_back(range.offset, range.bytes);
    return true;
  });
}

}  // namespace linerate::host
