// What a run tells its caller, outside every timed region.
#pragma once

#include "bench/expect/expecter.h"
#include "record/record.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
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
  std::optional<double> least_efficiency;  // of the results that somebody can judge
  std::vector<std::pair<std::string, std::uint64_t>> memory_bytes;  // initialisation, buffers, …
  std::vector<MemoryPoint> memory;      // at the end, where it was asked
  std::vector<NetworkPoint> network;    // likewise
  std::optional<CommTimes> comm_times;  // of a run that came to its end
  std::vector<Suspect> suspects;        // what made results low, where pairs of ranks told

  // One more result's part of what it should be.
  void note(double efficiency) {
    least_efficiency = std::min(least_efficiency.value_or(efficiency), efficiency);
  }
  double average_busbw_gbps() const {
    return busbw_rows == 0 ? 0 : busbw_sum_gbps / static_cast<double>(busbw_rows);
  }
};

// Called on rank 0's thread only.
struct RunEvents {
  // `row_bytes`: the sizes of one cycle's rows, as far as they are known beforehand.
  std::function<void(const RunInfo&, std::span<const std::uint64_t> row_bytes)> begin;
  // One placement of a case: a record for each group; `so_far` counts it.
  std::function<void(std::span<const Record> groups, const RunTotals& so_far)> results;
  // A whole case: one record for each placement, averaged over groups.
  std::function<void(std::span<const Record> table)> row;
  // How fast results should be, by what the run says of itself; null, also what it yields: nobody
  // can tell. Not asked where the ranks' own memory tells.
  std::function<std::unique_ptr<Expecter>(const RunInfo&)> expecter{};
  // From so much on memory is as fast as it will be, as far as it is known of this machine; 0: not.
  std::size_t cache_bytes = 0;
};

}  // namespace linerate
