// A barrier before each pass; every thread reads the clock itself.
#include "bench/probe/bandwidth.h"

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
  for (const auto& of_thread : threads) {
    const auto& span = of_thread[pass];
    all.wait_ns = std::max(all.wait_ns, span.start_ns - all.start_ns + span.wait_ns);
  }
  return all;
}

double pass_gbps(const ThreadSpans& threads, std::size_t pass, double bytes) {
  const auto all = joined(threads, pass);
  return bytes / static_cast<double>(std::max<std::int64_t>(all.end_ns - all.start_ns, 1));
}

double pass_slack(const ThreadSpans& threads, std::size_t pass) {
  constexpr double kMost = 100;
  const auto all = joined(threads, pass);
  const auto took_ns = static_cast<double>(std::max<std::int64_t>(all.end_ns - all.start_ns, 1));
  const auto worked_ns = took_ns - static_cast<double>(all.wait_ns);
  return took_ns / std::max(worked_ns, took_ns / kMost);
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

}  // namespace linerate::probe
