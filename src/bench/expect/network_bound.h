// How fast collectives over the TCP of several nodes can be at most: pure.
#pragma once

#include "bench/expect/expecter.h"
#include "bench/expect/network_limits.h"

#include <optional>

namespace linerate {

// busbw of a call that takes no longer than what must leave and enter the nodes takes their TCP, or
// memory takes (`memory_us`), or half a round trip between two of them, which calls share where
// some rank need not wait. Libraries know no nodes, and send more than they must: a healthy run may
// take as long as their flat rings and trees over the ranks do. Where a part of that time alone is
// surely in the time that counts (see sure_share.h) the bound is so much higher, and the part that
// a healthy run reaches lower; that is 0 where nobody knows what memory takes. Nothing where no
// part is sure, where the bus factor is 0, and where nothing must leave a node.
std::optional<Expectation> network_bound(const SizedCase& what, const NetworkLimits& limits,
                                         std::optional<double> memory_us);

}  // namespace linerate
