// A run of two ranks on one host, its rows and its end: what the tests of all sinks print.
#pragma once

#include "output/table_text.h"
#include "record/record.h"

#include <string>
#include <vector>

namespace linerate {

inline RankInfo example_rank(int rank) {
  return {.rank = rank,
          .group = 0,
          .pid = 4242 + rank,
          .hostname = "node07",
          .device = rank,
          .bus_id = "0000:00:00",
          .device_name = "host memory (Example CPU)"};
}

inline RunInfo two_ranks() {
  RunInfo run{.run_id = "r1",
              .start_time = "2024-05-01T10:00:00Z",
              .version = "0.1.0",
              .program = "all_reduce_perf",
              .args = {"all_reduce_perf", "-g", "2"},
              .environment = {"NCCL_DEBUG=INFO"},
              .backend = "host",
              .backend_version = "0.1.0",
              .transport = "shared memory"};
  run.nranks = run.ngpus = 2;
  run.nnodes = run.nprocs = run.nthreads = 1;
  run.ranks = {example_rank(0), example_rank(1)};
  return run;
}

inline TableOptions doubling(std::size_t min_bytes, std::size_t max_bytes) {
  TableOptions options;
  options.min_bytes = min_bytes;
  options.max_bytes = max_bytes;
  options.step_bytes = std::size_t{1} << 20;
  options.step_factor = 2;
  options.iters = 20;
  options.warmup_iters = 1;
  options.check = 1;
  return options;
}

struct Rate {
  double time_us = 0;
  double algbw_gbps = 0;
  double busbw_gbps = 0;
};

inline Record example_result(const CaseInfo& what, const Rate& rate) {
  Record record{.run_id = "r1", .what = what, .nranks = 2, .nnodes = 1};
  record.backend = "host";
  record.backend_version = "0.1.0";
  record.transport = "shared memory";
  record.window = {.iters = 20, .agg = 1, .time_us = rate.time_us};
  record.algbw_gbps = rate.algbw_gbps;
  record.busbw_gbps = rate.busbw_gbps;
  record.wrong = 0;
  record.timestamp = "2024-05-01T10:00:01.000Z";
  return record;
}

inline CaseInfo all_reduce_of(std::uint64_t bytes) {
  return {.collective = "all_reduce",
          .type = "float",
          .redop = "sum",
          .bytes = bytes,
          .count = bytes / 4};
}

// Both placements of one size.
inline std::vector<Record> row_of(CaseInfo what, const Rate& out_of_place, const Rate& in_place) {
  what.placement = Placement::out_of_place;
  std::vector<Record> records{example_result(what, out_of_place)};
  what.placement = Placement::in_place;
  records.push_back(example_result(what, in_place));
  return records;
}

inline EndInfo clean_end(double average_busbw_gbps) {
  return {
      .run_id = "r1", .end_time = "2024-05-01T10:00:09Z", .average_busbw_gbps = average_busbw_gbps};
}

}  // namespace linerate
