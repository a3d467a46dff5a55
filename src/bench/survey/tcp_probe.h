// What TCP gives between two hosts: round trips, and bandwidth over one stream and over several.
#pragma once

#include "base/clock.h"
#include "launch/net/socket.h"

#include <span>

namespace linerate {

// How long it may take: a longer stream tells no more, a shorter one has hardly begun.
struct TcpProbeRules {
  int round_trips = 100;
  double stream_s = 0.03;  // of each direction
};

struct TcpSpeed {
  double round_trip_us = 0;  // the median, of one byte
  double one_gbps = 0;       // GB/s (10^9 bytes) of one stream, of the slower direction
  double all_gbps = 0;       // of all streams together, likewise

  bool operator==(const TcpSpeed&) const = default;
};

// Both sides give equally many connected streams, in the same order, and the same rules; one
// measures, the other answers. Throws TimeoutError or PeerFailure.
struct TcpStreams {
  std::span<Socket> sockets;
  const Clock& clock;
  Deadline deadline{};
};
TcpSpeed measure_tcp(const TcpStreams& streams, const TcpProbeRules& rules);
void answer_tcp(const TcpStreams& streams, const TcpProbeRules& rules);

}  // namespace linerate
