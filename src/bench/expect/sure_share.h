// How much of a call's time over the network is surely in the time that counts: pure.
#pragma once

#include "bench/expect/crossed.h"
#include "bench/expect/network_limits.h"

namespace linerate {

// Of one call, at least: until the last rank is done.
struct CallTime {
  double message_us = 0, bytes_us = 0;

  double us() const { return message_us + bytes_us; }
};

struct NetworkCall {
  const Collective& collective;
  const Crossed& crossed;  // in elements
  const NetworkLimits& limits;
  CallTime time{};
  double element_bytes = 1;
};

// The part of `time` that the slowest rank, the mean over the ranks, the first or the fastest one
// (NetworkLimits::average) cannot do without in each call, averaged over all calls. Who needs
// nothing of other nodes leaves what it sends to the system and goes on. Who does is with the
// others until the last call, or in a chain, where each waits for some rank only, until as many
// calls as there are ranks before the end; of those it takes at least what itself needs. 0: nothing
// is known, as where a single rank counts that may be one that need not wait, where most need not
// and none is a root, and where parts differ (Collective::varies) so that some need nothing of some
// others. REQUIRES: some rank waits for another node.
double sure_share(const NetworkCall& call);

}  // namespace linerate
