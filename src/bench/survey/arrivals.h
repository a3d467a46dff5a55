// How fast bytes arrive over several streams together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

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

}  // namespace linerate
