// The threads of a benchmark run over the fakes.
#pragma once

#include "backends/nccl/nccl_backend.h"
#include "bench/session.h"
#include "launch/solo_bootstrap.h"
#include "launch/threads/rank_threads.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_nccl.h"

#include <functional>

namespace linerate::nccl {

// Runs `thread` on each of config.nthreads threads. Throws what a thread does.
inline void run_threads_on_fakes(const BenchConfig& config, int version,
                                 const std::function<void(RankContext&)>& thread,
                                 const std::function<bool()>& interrupted = {}) {
  const SteadyClock clock;
  const auto backend = make_nccl_backend(
      fake_nccl(version),
      {.api = cuda::fake_cuda(), .kernels = cuda::kernels_on_host(), .clock = clock}, config.gpu,
      {.kernels = device_kernels_on_host()});
  const auto process = solo_bootstrap();
  const auto watch = Watch::start(*process, {.nthreads = config.nthreads,
                                             .ranks_per_thread = config.ngpus,
                                             .deadline = Deadline::after(clock, 60)});
  run_rank_threads(*process, config.nthreads, [&](Bootstrap& member) {
    RankContext rank({.bootstrap = member,
                      .backend = *backend,
                      .watch = *watch,
                      .config = config,
                      .clock = clock,
                      .start_clock = clock,
                      .interrupted = interrupted});
    thread(rank);
  });
}

}  // namespace linerate::nccl
