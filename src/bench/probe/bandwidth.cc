// A barrier before each pass; every thread reads the clock itself. Arrays are sliced among the
// threads.
#include "bench/probe/bandwidth.h"

#include "base/pages.h"
#include "bench/probe/cores.h"

#include <algorithm>
#include <cassert>

namespace linerate::probe {

Span joined(const ThreadSpans& threads, std::size_t pass) {
  assert(!threads.empty());
  Span all = threads.front()[pass];
  for (const auto& of_thread : threads) {
    all.start_ns = std::min(all.start_ns, of_thread[pass].start_ns);
    all.end_ns = std::max(all.end_ns, of_thread[pass].end_ns);
  }
  return all;
}

double pass_gbps(const ThreadSpans& threads, std::size_t pass, double bytes) {
  const auto [start_ns, end_ns] = joined(threads, pass);
  return bytes / static_cast<double>(std::max<std::int64_t>(end_ns - start_ns, 1));
}

void run_in_parallel(std::size_t nparts, const ParallelBody& body, const StartThread& start) {
  std::barrier<> together(static_cast<std::ptrdiff_t>(nparts));
  std::vector<std::jthread> running;  // ends before the barrier
  running.reserve(nparts);
  try {
    while (running.size() < nparts)
      running.push_back(start([&, part = running.size()] { body(part, together); }));
  } catch (...) {
    for (auto missing = running.size(); missing < nparts; ++missing) together.arrive_and_drop();
    throw;
  }
}

ThreadSpans timed_passes(const PassPlan& plan, const Clock& clock) {
  ThreadSpans threads(plan.nthreads, std::vector<Span>(plan.npasses));
  run_in_parallel(plan.nthreads, [&](std::size_t thread, std::barrier<>& together) {
    plan.prepare(thread);
    for (auto& span : threads[thread]) {
      together.arrive_and_wait();
      span.start_ns = clock.now_ns();
      plan.pass(thread);
      span.end_ns = clock.now_ns();
    }
  });
  return threads;
}

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
  std::vector<Arrays> slices;
  for (int thread = 0; thread < nthreads; ++thread) slices.push_back(slice(thread, nthreads));
  const auto spans = timed_passes(
      {.nthreads = static_cast<std::size_t>(nthreads),
       .npasses = npasses,
       .prepare = [](std::size_t thread) { pin_this_thread(static_cast<int>(thread)); },
       .pass = [&](std::size_t thread) { kernel.run(slices[thread]); }},
      clock_);
  const double bytes =
      static_cast<double>(slices[0].a.size()) * nthreads * static_cast<double>(kernel.moved);
  std::vector<double> gbps;
  for (std::size_t pass = 1; pass < npasses; ++pass) gbps.push_back(pass_gbps(spans, pass, bytes));
  return gbps;
}

}  // namespace linerate::probe
