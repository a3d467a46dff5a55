// The engine under every measurement of memory: passes of several threads, timed together.
#pragma once

#include "base/clock.h"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace linerate::probe {

// When a pass began and ended, on one clock.
struct Span {
  std::int64_t start_ns = 0, end_ns = 0;
};

// By thread, then by pass; equally many passes of each thread.
using ThreadSpans = std::vector<std::vector<Span>>;

// From the first thread that began a pass to the last that ended it. REQUIRES: a thread.
Span joined(const ThreadSpans& threads, std::size_t pass);
// GB/s (10^9 bytes) of a pass in which all threads together moved `bytes`.
double pass_gbps(const ThreadSpans& threads, std::size_t pass, double bytes);

// body(part, together) of each part; `together` counts all of them.
using ParallelBody = std::function<void(std::size_t part, std::barrier<>& together)>;
using StartThread = std::function<std::jthread(std::function<void()>)>;
inline std::jthread start_thread(std::function<void()> body) {
  return std::jthread(std::move(body));
}

// Each part on a thread of its own; returns when all are done. Where a thread cannot be started,
// `together` counts those that were, they end, and the error is thrown.
void run_in_parallel(std::size_t nparts, const ParallelBody& body,
                     const StartThread& start = start_thread);

// What each of `nthreads` threads does, by its number.
struct PassPlan {
  std::size_t nthreads = 1, npasses = 1;
  std::function<void(std::size_t)> prepare;  // once, before the first pass: binds it to a core
  std::function<void(std::size_t)> pass;     // what is timed
};

// On threads of their own; each pass begins when all threads are there.
ThreadSpans timed_passes(const PassPlan& plan, const Clock& clock);

}  // namespace linerate::probe
