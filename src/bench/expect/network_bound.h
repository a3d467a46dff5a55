// How fast collectives over the TCP of several nodes can be at most: pure.
#pragma once

#include "bench/expect/expecter.h"
#include "bench/expect/network_limits.h"

#include <optional>

namespace linerate {

// busbw of a call that takes no longer than what must leave and enter the nodes takes their TCP, or
// memory takes (`memory_us`), and half a round trip between two of them. Libraries know no nodes,
// and send more than they must: a healthy run may take as long as their flat rings and trees over
// the ranks do. Where each rank needs something of each other all take as long, but for a call that
// one may be ahead; otherwise some need not wait, and lower the mean over them: the bound is so
// much higher, and the part that a healthy run reaches lower. Nothing where the bus factor is 0,
// where nothing must leave a node, and unless the slowest rank's time counts, where that may be the
// time of a rank that need not wait: the first's or the fastest one's, that of ranks of which most
// do not wait and none is a root, and where parts differ (Collective::varies) so that some ranks
// need nothing of some others.
std::optional<Expectation> network_bound(const SizedCase& what, const NetworkLimits& limits,
                                         double memory_us);

}  // namespace linerate
