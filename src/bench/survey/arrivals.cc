// See arrivals.h.
#include "bench/survey/arrivals.h"

#include <algorithm>

namespace linerate {

void Arrivals::note(std::int64_t now_ns, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  begin_ns_ = std::min(begin_ns_, now_ns);
  for (auto* sum : {&all_, &within_}) {
    if (sum == &within_ && now_ns > begin_ns_ + window_ns_) continue;
    sum->bytes += bytes;
    sum->last_ns = std::max(sum->last_ns, now_ns);
  }
}

double Arrivals::gbps_of(const Sum& sum) const {
  const auto elapsed_ns = std::max<std::int64_t>(sum.last_ns - begin_ns_, 1);
  return static_cast<double>(sum.bytes) / static_cast<double>(elapsed_ns);
}

double Arrivals::gbps() const {
  const std::lock_guard lock(mutex_);
  const bool any_within = within_.last_ns > begin_ns_;
  return gbps_of(any_within ? within_ : all_);
}

}  // namespace linerate
