// What rank 0 holds of one case and placement after all threads have reported, and the records made
// of it: the arithmetic of time, algbw and busbw. Pure.
#pragma once

#include "bench/beside.h"
#include "bench/config.h"
#include "bench/plan.h"
#include "bench/sampling.h"
#include "bench/verify.h"
#include "bench/window.h"
#include "comm/op.h"
#include "record/record.h"

#include <cstdint>
#include <string>
#include <vector>

namespace linerate {

// Of one case and placement, on rank 0.
struct Measurement {
  Case what{};
  Placement placement = Placement::out_of_place;
  std::uint64_t iters = 0;  // over all windows
  int agg_iters = 1;
  std::vector<WindowTime> thread_times{};  // per thread, summed over all windows
  // Of all threads, then of each group where there are several.
  std::vector<SampleReduction> samples{};
  int batch = 1;
  std::uint64_t touched_bytes = 0;  // of a rank's buffers, by the calls of a window
  CallFacts call{};                 // as rank 0's communicator tells
  bool checked = false;
  std::vector<std::vector<BesideBlock>> beside{};  // by thread; empty: none
  std::vector<RankCheck> checks{};                 // every check of every rank and round
};

// What every record of a run repeats.
struct RunFacts {
  std::string run_id{};
  std::string backend{}, backend_version{}, transport{};
  std::vector<RankInfo> infos{};  // by rank
  const TrafficMatrix* traffic = nullptr;
};

struct Results {
  Record table{};                // over all threads: nccl-tests' row
  std::vector<Record> groups{};  // one per group, by colour; one for a run that is not split
  std::uint64_t failed_checks = 0;
};

// `sets` are CaseRunner::thread_sets().
Results results_of(const Measurement& m, const BenchConfig& config, const RunFacts& facts,
                   const std::vector<ThreadSet>& sets);

// One time from those of several threads (-a).
double combine_us(std::vector<double> thread_us, Average average);

}  // namespace linerate
