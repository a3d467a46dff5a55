// How much of a call's time over the network is surely in the time that counts: pure.
#pragma once

#include "bench/expect/crossed.h"
#include "bench/expect/network_limits.h"
#include "collectives/collective.h"

#include <algorithm>

namespace linerate {

// Of one call, at least: until the last rank is done. A message's way may be hidden behind another
// rank's bytes.
struct CallTime {
  double message_us = 0, bytes_us = 0;

  double us() const { return std::max(message_us, bytes_us); }
};

struct NetworkCall {
  const Collective& collective;
  const Crossed& crossed;  // in elements
  const NetworkLimits& limits;
  CallTime time{};
  double element_bytes = 1;
};

// The part of `time` that the way in which ranks' times become one (NetworkLimits::average) surely
// has in each call: all of it where the slowest rank counts. In any other a rank has at least what
// it needs itself of other nodes, and where each needs something of each other all calls but the
// last, which the others may have to end without it. 0, nothing is known: where a rank may count
// that needs nothing, where a mean is of ranks of which most need nothing and none is a root, and
// where parts differ (Collective::varies) so that some need nothing of some others.
// REQUIRES: some rank needs something of another node.
double sure_share(const NetworkCall& call);

}  // namespace linerate
