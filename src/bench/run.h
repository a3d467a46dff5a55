// A whole run on one thread, and what it tells its caller outside every timed region.
//
//   run_benchmark()  every case of every cycle, in both placements (run.cc)
//   run_p2p()        latency and bandwidth between every pair of ranks (p2p.cc)
// Both are a MeasuredRun: set up, measure, end. Collective over all threads; RunEvents fire on rank
// 0's thread only. What they are made of, from the outside in:
//   config, plan      what is asked, and the list of cases
//   session           a thread's ranks with their buffers
//   case_runner       one case: fill, warm up, window, samples, verify, gather
//   layout            where a call finds its data
//   call_issuer       the calls of one case, prepared and issued
//   window, sampling  the two clock reads around all calls, and around each of them
//   load, beside      what keeps a rank busy, and calls at the same time
//   verify, results   what the calls left, and the records made of it
//   pairs, pair_test, pair_search   two ranks alone
//   race              algorithms of a backend against each other
//   limits, survey, probe, memcpy   folders: what machine and network give at most
#pragma once

#include "bench/plan.h"
#include "bench/session.h"
#include "model/host_model.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

// What rank 0 knows of the cases that are done.
struct RunTotals {
  std::uint64_t failed_checks = 0;  // nccl-tests' "Out of bounds values"
  double busbw_sum_gbps = 0;        // over all rows and both placements
  std::uint64_t busbw_rows = 0;
  bool interrupted = false;
  std::optional<std::string> refusal{};  // why nothing could run: on all threads
  std::vector<std::pair<std::string, std::uint64_t>> memory_bytes;  // initialisation, buffers, …
  std::vector<MemoryPoint> memory;      // at the end, where it was asked
  std::vector<NetworkPoint> network;    // likewise
  std::optional<CommTimes> comm_times;  // of a run that came to its end
  std::vector<PairTime> pairs;          // where RunEvents::pair_bytes asked for them

  double average_busbw_gbps() const {
    return busbw_rows == 0 ? 0 : busbw_sum_gbps / static_cast<double>(busbw_rows);
  }
};

// What is known before the first result.
struct RunStart {
  const RunInfo& info;
  std::span<const Case> cases{};       // of one cycle; empty: of pairs of ranks
  const HostLimits* limits = nullptr;  // null: results do not follow from host memory and TCP
  std::shared_ptr<const TrafficMatrix> traffic{};  // of all_to_all_v
};

// Called on rank 0's thread only. Records come without a bound, which whoever listens may add
// before they go on to files.
struct RunEvents {
  std::function<void(const RunStart&)> begin;
  // One placement of a case: a record for each group; `so_far` counts it.
  std::function<void(std::span<Record> groups, const RunTotals& so_far)> results;
  // A whole case: one record for each placement, averaged over groups.
  std::function<void(std::span<Record> table)> row;
  // After the last case, unless --expect is off: the bytes of messages that pairs of ranks shall be
  // timed with, to find what is slow (RunTotals::pairs); 0: none.
  std::function<std::size_t()> pair_bytes{};
  // From so much on memory is as fast as it will be, as far as it is known of this machine; 0: not.
  std::size_t cache_bytes = 0;
};

// Collective over all threads; events fire on rank 0's thread only. `started` is filled by the
// caller with what it knows (program, arguments, launcher, backend); the run adds the rest before
// begin.
RunTotals run_benchmark(RankContext& rank, const BenchConfig& config, const RunInfo& started,
                        const RunEvents& events);

// For each pair: half of a round trip of min_bytes (latency); max_bytes one way, in each direction;
// and max_bytes both ways in the same interval, whose bandwidth is the sum of both directions.
// Ranks of no pair sleep. With config.at_once disjoint pairs run at the same time. Each result is
// one record with `pair` = (source, destination) and the collective p2p_latency, p2p_unidirectional
// or p2p_bidirectional. A thread of several ranks runs its pairs one after the other, since one
// group of calls would give them all the time of the slowest. Collective over all threads; events
// fire on rank 0's thread.
RunTotals run_p2p(RankContext& rank, const BenchConfig& config, const RunInfo& started,
                  const RunEvents& events);

}  // namespace linerate
