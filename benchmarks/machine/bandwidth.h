// What pinned threads reach together over arrays of their own.
#pragma once

#include "base/clock.h"
#include "base/pages.h"
#include "bench/probe/bandwidth.h"
#include "bench/probe/kernels.h"
#include "benchmarks/pinning.h"
#include "comm/device.h"

#include <cstddef>
#include <vector>

namespace linerate::benchmarks {

// Arrays larger than a cache is believed to be, touched once. Used by one thread.
class Bandwidth {
 public:
  // `array_bytes` of each of the three arrays, of `host`'s memory, shared out among the threads;
  // `clock` outlives it.
  Bandwidth(std::size_t array_bytes, Device& host, const Clock& clock) : clock_(clock) {
    for (Buffer* buffer : {&a_, &b_, &c_}) {
      *buffer = host.allocate(round_up(array_bytes, kHugePageBytes), MemoryKind::host);
      touch(buffer->view());
    }
  }

  // GB/s (10^9 bytes) of each of `repeats` passes after one untimed: thread r on core r, from the
  // first that begins to the last that ends. REQUIRES: a kernel of three arrays at most.
  std::vector<double> measure_gbps(const probe::Kernel& kernel, int nthreads, int repeats) const {
    const auto npasses = static_cast<std::size_t>(repeats) + 1;
    std::vector<probe::Arrays> slices;
    for (int thread = 0; thread < nthreads; ++thread) slices.push_back(slice(thread, nthreads));
    const auto spans = probe::timed_passes(
        {.nthreads = static_cast<std::size_t>(nthreads),
         .npasses = npasses,
         .prepare = [](std::size_t thread) { pin_this_thread(static_cast<int>(thread)); },
         .pass = [&](std::size_t thread) { kernel.run(slices[thread]); }},
        clock_);
    const double bytes =
        static_cast<double>(slices[0].a.size()) * nthreads * static_cast<double>(kernel.moved);
    std::vector<double> gbps;
    for (std::size_t pass = 1; pass < npasses; ++pass)
      gbps.push_back(probe::pass_gbps(spans, pass, bytes));
    return gbps;
  }

 private:
  // Whole pages, so that no two threads share a line.
  probe::Arrays slice(int thread, int nthreads) const {
    const auto bytes = round_down(a_.bytes() / static_cast<std::size_t>(nthreads), page_bytes());
    const auto offset = static_cast<std::size_t>(thread) * bytes;
    return {a_.view(offset, bytes), b_.view(offset, bytes), c_.view(offset, bytes)};
  }

  const Clock& clock_;
  Buffer a_, b_, c_;
};

}  // namespace linerate::benchmarks
