// The threads of a benchmark run in tests, over the fake backend: what they measure is on its
// virtual clock, so that every time, skew and fault can be asserted exactly.
#pragma once

#include "backends/fake/fake_backend.h"
#include "base/clock.h"
#include "bench/case_runner.h"
#include "launch/solo_bootstrap.h"
#include "launch/threads/rank_threads.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace linerate {

inline BenchConfig bench_config(const TimingConfig& timing, const CaseConfig& cases = {},
                                const VerificationConfig& verification = {}) {
  return {{}, cases, timing, verification, {}};
}

// What is benchmarked, on how many ranks, and what the fake backend pretends.
struct FakeJob {
  int nranks = 2;
  FakeOptions fake{};
  BenchConfig config{};
};

// Runs `body`, which ends with close(), for each rank on a thread of its own.
inline void run_rank_contexts(const FakeJob& job,
                              const std::function<void(RankContext&, const BenchConfig&)>& body) {
  const SteadyClock clock;
  auto config = job.config;
  config.nthreads = job.nranks;
  const auto backend = make_fake_backend(job.fake);
  const auto process = solo_bootstrap();
  const auto watch = Watch::start(
      *process,
      {.nthreads = job.nranks, .deadline = Deadline::after(clock, config.init_timeout_s())});
  const auto run_rank = [&](Bootstrap& member) {
    RankContext rank({.bootstrap = member,
                      .backend = *backend,
                      .watch = *watch,
                      .config = config,
                      .clock = clock,
                      .start_clock = clock});
    body(rank, config);
  };
  run_rank_threads(*process, job.nranks, run_rank);
  watch->leave();
}

// Runs `body` with the session of each rank, on a thread of its own, and closes the sessions.
inline void run_sessions(const FakeJob& job, const std::function<void(Session&)>& body) {
  run_rank_contexts(job, [&](RankContext& rank, const BenchConfig& config) {
    Session session(rank, config);
    body(session);
    rank.close();
  });
}

inline Case case_of(std::string_view collective, std::size_t bytes) {
  return {.collective = find_collective(collective), .bytes = bytes};
}

// `what` on the rank of `session`, whose buffers have these sizes; every rank has a spare slot.
inline CaseOnThread case_on_thread(Session& session, const Case& what, const BufferSizes& sizes,
                                   Placement placement = Placement::out_of_place) {
  auto& comm = session.ranks().front().comm();
  auto sizing = sizing_of(what, comm.nranks(), nullptr);
  sizing.rank = comm.rank();
  CaseOnThread on_thread{.what = what, .placement = placement, .sizings = {sizing}};
  on_thread.layouts = {layout_of(sizing, what, placement, session.config(), sizes)};
  on_thread.send_ranges.resize(1);
  on_thread.recv_ranges.resize(1);
  on_thread.sliding_slots = on_thread.layouts.front().slots.sliding;
  on_thread.uses_spare = true;
  return on_thread;
}

// One case in one placement, as CaseRunner measures it, in buffers of these sizes.
struct CaseRun {
  Case what = case_of("all_reduce", 1024);
  Placement placement = Placement::out_of_place;
  BufferSizes sizes{.bytes = 1024, .spare_bytes = 1024};
};

// What rank 0 holds then.
inline Measurement measure_case(const FakeJob& job, const CaseRun& run = {}) {
  Measurement measurement;
  run_sessions(job, [&](Session& session) {
    session.allocate(run.sizes, job.config.unalign * kWidestBytes);
    CaseRunner runner(session, {.buffers = run.sizes});
    auto mine = runner.run(run.what, run.placement);
    if (session.is_first()) measurement = std::move(mine);
  });
  return measurement;
}

}  // namespace linerate
