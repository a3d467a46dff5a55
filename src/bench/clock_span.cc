// See clock_span.h.
#include "bench/clock_span.h"

#include "base/clock.h"

#include <algorithm>
#include <cassert>

namespace linerate {

double ClockSpan::us() const { return static_cast<double>(end_ns - start_ns) / kNsPerUs; }

ClockSpan joined(std::span<const ClockSpan> spans) {
  assert(!spans.empty());
  ClockSpan all = spans.front();
  for (const auto& span : spans) {
    all.start_ns = std::min(all.start_ns, span.start_ns);
    all.end_ns = std::max(all.end_ns, span.end_ns);
  }
  return all;
}

}  // namespace linerate
