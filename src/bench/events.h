// What a run tells its caller, on the thread of rank 0 and outside every timed region.
#pragma once

#include "record/record.h"

#include <cstddef>
#include <functional>
#include <span>

namespace linerate {

struct RunEvents {
  std::function<void(const RunInfo&)> begin;
  // `table`: one record per placement, averaged over groups; `groups`: one per placement and group.
  std::function<void(std::span<const Record> table, std::span<const Record> groups)> row;
  std::function<bool()> interrupted;  // asked between windows: end as after Ctrl-C
};

// What rank 0 knows when all cases are done.
struct RunTotals {
  std::uint64_t failed_checks = 0;  // nccl-tests' "Out of bounds values"
  double busbw_sum_gbps = 0;        // over all rows and both placements
  std::uint64_t busbw_rows = 0;
  bool interrupted = false;
  std::vector<std::pair<std::string, std::uint64_t>> memory_bytes;  // initialisation, buffers, …

  double average_busbw_gbps() const {
    return busbw_rows == 0 ? 0 : busbw_sum_gbps / static_cast<double>(busbw_rows);
  }
};

}  // namespace linerate
