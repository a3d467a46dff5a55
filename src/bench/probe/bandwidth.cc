// Three arrays, sliced among the threads.
#include "bench/probe/bandwidth.h"

#include "base/pages.h"
#include "bench/probe/cores.h"
#include "bench/probe/timed_passes.h"

namespace linerate::probe {
Bandwidth::Bandwidth(std::size_t array_bytes, Device& host, const Clock& clock) : clock_(clock) {
  for (Buffer* buffer : {&a_, &b_, &c_}) {
    *buffer = host.allocate(round_up(array_bytes, kHugePageBytes), MemoryKind::host);
    touch(buffer->view());
  }
}

// Whole pages, so that no two threads share a line.
Arrays Bandwidth::slice(int thread, int nthreads) const {
  const auto bytes = round_down(a_.bytes() / static_cast<std::size_t>(nthreads), page_bytes());
  const auto offset = static_cast<std::size_t>(thread) * bytes;
  return {a_.view(offset, bytes), b_.view(offset, bytes), c_.view(offset, bytes)};
}

std::vector<double> Bandwidth::measure_gbps(const Kernel& kernel, int nthreads, int repeats) {
  const auto npasses = static_cast<std::size_t>(repeats) + 1;
  const auto spans = timed_passes(
      {.nthreads = static_cast<std::size_t>(nthreads),
       .npasses = npasses,
       .prepare = [](std::size_t thread) { pin_this_thread(static_cast<int>(thread)); },
       .pass = [&](std::size_t thread) { kernel.run(slice(static_cast<int>(thread), nthreads)); }},
      clock_);
  const double bytes = static_cast<double>(slice(0, nthreads).a.size()) * nthreads *
                       static_cast<double>(kernel.moved);
  std::vector<double> gbps;
  for (std::size_t pass = 1; pass < npasses; ++pass) gbps.push_back(pass_gbps(spans, pass, bytes));
  return gbps;
}

}  // namespace linerate::probe
