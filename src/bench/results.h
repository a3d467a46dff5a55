// From a measurement to records: the arithmetic of time, algbw and busbw. Pure.
#pragma once

#include "bench/config.h"
#include "bench/measurement.h"
#include "record/record.h"

#include <string>
#include <vector>

namespace linerate {

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
