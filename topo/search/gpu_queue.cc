// See gpu_queue.h.
#include "topo/search/gpu_queue.h"

#include <algorithm>
#include <functional>
#include <span>

namespace linerate::topo {

bool GpuQueue::begins_with(int gpu) const {
  return std::ranges::count(std::span(in_order_).first(firsts_), gpu) > 0;
}

void GpuQueue::order(bool worst_first) {
  worst_first_ = worst_first;
  worst_first ? std::ranges::make_heap(preferred_)
              : std::ranges::make_heap(preferred_, std::ranges::greater());
}

int GpuQueue::next_preferred() {
  if (preferred_.empty()) return kNone;
  worst_first_ ? std::ranges::pop_heap(preferred_)
               : std::ranges::pop_heap(preferred_, std::ranges::greater());
  const int gpu = preferred_.back().gpu;
  preferred_.pop_back();
  return gpu;
}

}  // namespace linerate::topo
