// What TCP gives between two hosts: round trips, and bandwidth over several streams.
#pragma once

#include "base/clock.h"
#include "launch/net/socket.h"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

namespace linerate {

// Counts within a window: what comes later, after losses or from some streams only, does not count.
// From any thread.
class Arrivals {
 public:
  // The window begins with the first byte, and at `latest_begin_ns` at the latest: who looks late
  // finds what had come meanwhile.
  Arrivals(std::int64_t latest_begin_ns, std::int64_t window_ns)
      : begin_ns_(latest_begin_ns), window_ns_(window_ns) {}

  // `bytes` have arrived by now.
  void note(std::int64_t now_ns, std::size_t bytes);
  // GB/s (10^9 bytes); of all that came where nothing came within the window.
  double gbps() const;

 private:
  struct Sum {
    std::int64_t last_ns = 0;
    std::size_t bytes = 0;
  };
  double gbps_of(const Sum& sum) const;

  std::int64_t begin_ns_;
  const std::int64_t window_ns_;
  mutable std::mutex mutex_;
  Sum all_, within_;
};

// How long it may take: a longer stream tells no more, a shorter one has hardly begun.
struct TcpProbeRules {
  int round_trips = 100;
  bool one_stream_first = false;                     // measures one stream alone, too
  double stream_s = 0.03;                            // of each direction
  std::size_t block_bytes = std::size_t{256} << 10;  // each stream sends two of them at least
  // Where the threads of all streams but the first run; empty: where the caller may. A rank that is
  // bound to a core has the others' cores beside it in a run, and so must a probe.
  std::vector<int> cores{};
};

// GB/s are 10^9 bytes; each direction for itself, as the side that measures sees it.
struct TcpSpeed {
  double round_trip_us = 0;          // the median, of one byte
  double one_gbps = 0;               // of one stream, of the slower direction; 0: not asked for
  double out_gbps = 0, in_gbps = 0;  // of all streams together

  double all_gbps() const { return out_gbps < in_gbps ? out_gbps : in_gbps; }
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

}  // namespace linerate
