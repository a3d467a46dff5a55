// A moment at which all members go on: closer together than a barrier over sockets lets them go.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"

#include <cstdint>

namespace linerate {

// The longest that members wait for a moment that is named.
inline constexpr std::int64_t kMaxLeadNs = 300'000;

// How long before a moment rank 0 must name it so that its message reaches all members in time:
// measured in 32 rounds, about 10 ms. `clock` is one time line for all members. The same on all; 0,
// and nothing is gained by a common start, where there is one member only, where clocks turn out to
// differ, or where messages take longer than kMaxLeadNs. Collective.
std::int64_t measure_lead_ns(Bootstrap& members, const Clock& clock, const Deadline& deadline);

// Returns on all members at one moment, `lead_ns` after rank 0 came; on one that hears of it too
// late at once, and on each at most `lead_ns` after it heard. Rank 0 waits for nobody: a barrier
// comes before. Until shortly before the moment the core is offered to others. Does nothing where
// `lead_ns` is 0. Collective.
void start_together(Bootstrap& members, const Clock& clock, std::int64_t lead_ns);

}  // namespace linerate
