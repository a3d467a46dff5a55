#include "backends/host/emulation/shared.h"

#include <algorithm>

namespace linerate::host {

std::int64_t BusyIntervals::take(std::int64_t start_ns, std::int64_t busy_ns) {
  if (busy_ns == 0) return start_ns;
  std::size_t first = count_;  // most ask for a time behind all others, or near it
  while (first > 0 && busy_[first - 1].end_ns >= start_ns) --first;
  std::size_t last = first;
  std::int64_t begin_ns = start_ns;
  std::int64_t free_ns = start_ns;  // busy without a gap from begin to here
  std::int64_t left_ns = busy_ns;
  while (last < count_ && busy_[last].begin_ns - free_ns < left_ns) {
    left_ns -= std::max<std::int64_t>(busy_[last].begin_ns - free_ns, 0);
    begin_ns = std::min(begin_ns, busy_[last].begin_ns);
    free_ns = busy_[last++].end_ns;
  }
  const std::int64_t end_ns = free_ns + left_ns;
  const bool touches = last < count_ && busy_[last].begin_ns == end_ns;
  replace(first, touches ? last + 1 : last, {begin_ns, touches ? busy_[last].end_ns : end_ns});
  return end_ns;
}

// Puts one interval in the place of [first, last).
void BusyIntervals::replace(std::size_t first, std::size_t last, const Interval& by) {
  if (first == last && count_ == kMax) {
    busy_[1].begin_ns = busy_[0].begin_ns;
    std::move(busy_.begin() + 1, busy_.begin() + count_, busy_.begin());
    --count_;
    if (first <= 1) {
      busy_[0].begin_ns = std::min(busy_[0].begin_ns, by.begin_ns);
      return;
    }
    first = last = first - 1;
  }
  const auto at = busy_.begin() + static_cast<std::ptrdiff_t>(first);
  const auto behind = busy_.begin() + static_cast<std::ptrdiff_t>(last);
  if (first == last)
    std::move_backward(behind, busy_.begin() + count_, busy_.begin() + count_ + 1);
  else
    std::move(behind, busy_.begin() + count_, at + 1);
  *at = by;
  count_ = count_ + 1 - static_cast<std::uint32_t>(last - first);
}

}  // namespace linerate::host
