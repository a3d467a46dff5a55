// How fast collectives over one host's memory can be at most.
#pragma once

#include "bench/expect/expecter.h"
#include "bench/expect/memory_curve.h"

#include <cstddef>
#include <optional>

namespace linerate {

// What the host gave to the ranks of a run.
struct HostLimits {
  MemoryCurve memory{};
  double latency_us = 0;     // from one rank to another
  std::size_t l3_bytes = 0;  // of the ranks' caches, or as much of them as is known to work
  bool direct = true;        // Capabilities::direct
  bool crowded = false;      // ranks share cores
};

// What a message between ranks surely takes. Nothing where ranks share cores: their barriers, of
// which it is known, wait for the scheduler.
double sure_latency_us(const HostLimits& limits);

// The part of what memory seems to need that it surely needs: a probe of ranks that share cores is
// so short that it shows the scheduler too, and a run of theirs was up to 1.9 times as fast.
double sure_part(const HostLimits& limits);

// The part of a bound that a healthy run reaches: less where only some ranks have anything to move
// (though algorithms may share out their work), within the caches, whose bandwidth is that of each
// core alone, near the latency, and where the library copies on the way or ranks exchange what they
// hold.
double low_below(const HostLimits& limits, bool by_memory, const Touched& touched);

// busbw of a call that takes no longer than its bytes take memory and one message takes between
// ranks. Nothing where the bus factor is 0, as of one rank, and where ranks share cores and the
// message takes longer than the bytes.
std::optional<Expectation> host_bound(const SizedCase& what, const HostLimits& limits,
                                      const Touched& touched);

}  // namespace linerate
