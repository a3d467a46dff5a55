// See gpu_queue.h.
#include "topo/search/gpu_queue.h"

#include <algorithm>
#include <functional>
#include <span>

namespace linerate::topo {

bool GpuQueue::begins_with(int gpu) const {
  return std::ranges::count(std::span(in_order_).first(firsts_), gpu) > 0;
}

void GpuQueue::rank(bool worst_first) {
  worst_first_ = worst_first;
  worst_first ? std::ranges::make_heap(ranked_)
              : std::ranges::make_heap(ranked_, std::ranges::greater());
}

int GpuQueue::next_ranked() {
  if (ranked_.empty()) return kNone;
  worst_first_ ? std::ranges::pop_heap(ranked_)
               : std::ranges::pop_heap(ranked_, std::ranges::greater());
  const int gpu = ranked_.back().gpu;
  ranked_.pop_back();
  return gpu;
}

}  // namespace linerate::topo
