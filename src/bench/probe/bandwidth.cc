// See bandwidth.h.
#include "bench/probe/bandwidth.h"

#include "base/pages.h"
#include "bench/probe/cores.h"

#include <algorithm>
#include <barrier>
#include <limits>
#include <thread>

namespace linerate::probe {
namespace {

struct Span {
  std::int64_t start_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t end_ns = 0;
};

}  // namespace

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
  std::vector<std::vector<Span>> spans(static_cast<std::size_t>(nthreads),
                                       std::vector<Span>(npasses));
  std::barrier together(nthreads);
  const auto body = [&](int thread) {
    pin_this_thread(thread);
    const Arrays mine = slice(thread, nthreads);
    for (auto& span : spans[static_cast<std::size_t>(thread)]) {
      together.arrive_and_wait();
      span.start_ns = clock_.now_ns();
      kernel.run(mine);
      span.end_ns = clock_.now_ns();
    }
  };
  {
    std::vector<std::jthread> threads;
    threads.reserve(spans.size());
    for (int thread = 0; thread < nthreads; ++thread) threads.emplace_back(body, thread);
  }
  const double bytes = static_cast<double>(slice(0, nthreads).a.size()) * nthreads *
                       static_cast<double>(kernel.moved);
  std::vector<double> gbps;
  for (std::size_t pass = 1; pass < npasses; ++pass) {
    Span all;
    for (const auto& of_thread : spans) {
      all.start_ns = std::min(all.start_ns, of_thread[pass].start_ns);
      all.end_ns = std::max(all.end_ns, of_thread[pass].end_ns);
    }
    gbps.push_back(bytes / static_cast<double>(all.end_ns - all.start_ns));
  }
  return gbps;
}

}  // namespace linerate::probe
