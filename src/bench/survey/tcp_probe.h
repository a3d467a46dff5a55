// What TCP gives between two hosts: round trips, and bandwidth over one stream and over several.
#pragma once

#include "base/clock.h"
#include "launch/net/socket.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// How long it may take: a longer stream tells no more, a shorter one has hardly begun.
struct TcpProbeRules {
  int round_trips = 100;
  double stream_s = 0.03;                            // of each direction
  std::size_t block_bytes = std::size_t{256} << 10;  // each stream sends two of them at least
  // Where the threads of all streams but the first run; empty: where the caller may. A rank that is
  // bound to a core has the others' cores beside it in a run, and so must a probe.
  std::vector<int> cores{};
};

struct TcpSpeed {
  double round_trip_us = 0;  // the median, of one byte
  double one_gbps = 0;       // GB/s (10^9 bytes) of one stream, of the slower direction
  double all_gbps = 0;       // of all streams together, likewise

  bool operator==(const TcpSpeed&) const = default;
};

// Both sides give equally many connected streams, in the same order, and the same rules but for the
// cores; one measures, the other answers. Throws TimeoutError or PeerFailure.
struct TcpStreams {
  std::span<Socket> sockets;
  const Clock& clock;
  Deadline deadline{};
};
TcpSpeed measure_tcp(const TcpStreams& streams, const TcpProbeRules& rules);
void answer_tcp(const TcpStreams& streams, const TcpProbeRules& rules);

// Each direction for itself, over all streams together.
struct TcpBothWays {
  double round_trip_us = 0;          // the median, of one byte
  double out_gbps = 0, in_gbps = 0;  // GB/s (10^9 bytes), as the side that measures sees it
};
TcpBothWays measure_both_ways(const TcpStreams& streams, const TcpProbeRules& rules);
void answer_both_ways(const TcpStreams& streams, const TcpProbeRules& rules);

}  // namespace linerate
