// The bandwidth that several pinned threads reach together.
#pragma once

#include "base/clock.h"
#include "bench/probe/kernels.h"
#include "comm/device.h"

#include <vector>

namespace linerate::probe {

// Arrays larger than a cache is believed to be, touched once. Used by one thread.
class Bandwidth {
 public:
  // `array_bytes` of each of the three arrays, of `host`'s memory, shared out among the threads;
  // `clock` outlives it.
  Bandwidth(std::size_t array_bytes, Device& host, const Clock& clock);

  // GB/s (10^9 bytes) of each of `repeats` passes after one untimed: thread r on core r, from the
  // first that begins to the last that ends. REQUIRES: a kernel of three arrays at most.
  std::vector<double> measure_gbps(const Kernel& kernel, int nthreads, int repeats);

 private:
  Arrays slice(int thread, int nthreads) const;

  const Clock& clock_;
  Buffer a_, b_, c_;
};

}  // namespace linerate::probe
