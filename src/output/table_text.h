// The text of nccl-tests 2.19.6's table, byte for byte, as pure functions of the results and of the
// run's options, as used.
//
// Eight public parsers read it: 13 tokens a row, raw byte sizes, plain decimals, and every other
// line begins with '#'. The two differences: no number takes an exponent, and the version line
// names linerate. docs/output-format.md shows each line.
#pragma once

#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace linerate {

struct TableOptions {
  std::size_t min_bytes = 0;
  std::size_t max_bytes = 0;  // as lowered, where memory does not suffice
  bool max_bytes_lowered = false;
  std::size_t step_bytes = 0;
  int step_factor = 1;  // above 1: used instead of step_bytes
  std::uint64_t iters = 0, warmup_iters = 0, per_iter_skip = 0;
  int agg_iters = 1;
  int check = 0;                        // verification rounds
  int graph = 0;                        // launches of the captured graph
  std::size_t unalign = 0;              // elements
  int blocking = 0;                     // -z
  bool per_iter = false;                // -I
  bool parallel_init = false;           // -p
  bool cputime = false;                 // -C
  bool timestamps = false;              // -S
  bool report_init = false;             // --report-init
  bool show_algorithms = false;         // --show-algo
  bool lists_verdicts = false;          // --verdict
  std::string skew{};                   // --skew, as typed; empty: none
  std::string beside{};                 // --beside, as typed; empty: none
  std::optional<double> min_bw_gbps{};  // NCCL_TESTS_MIN_BW
  int nccl_version = 0;                 // 22903; 0 where there is no NCCL
  int local_register = 0;               // -R
  int nranks = 0;
  std::optional<int> registered_ranks{};  // of nranks, with -R
  std::string json_path{};                // the file that -J writes; empty: none
};

// NCCL_TESTS_MIN_BW's verdict: nccl-tests lets the average be 10 % lower than the limit.
constexpr bool fast_enough(double average_busbw_gbps, double min_bw_gbps) {
  constexpr double kTolerated = 0.9;
  return average_busbw_gbps >= min_bw_gbps * kTolerated;
}

// Everything before the first row.
std::string table_heading(const RunInfo& run, const TableOptions& options);

// ", host backend over shared memory": backend, its version and transport, as far as they exist.
std::string backend_text(const RunInfo& run);

// "# Using devices" and a line for each rank.
std::string device_lines(const RunInfo& run);

// "# Communicator times : init …" (--report-init).
std::string comm_times_line(const CommTimes& times);

// One row: `records` holds one or two records of one size, out of place first. A placement that was
// not measured shows zeros and N/A, so that the row keeps its 13 tokens. A `#` line for each rank
// follows where its traffic is listed. REQUIRES: not empty.
std::string table_row(std::span<const Record> records, const TableOptions& options);

// What --skew adds below the rows: its heading, and one result's line.
std::string skew_heading(const std::string& skew);
std::string skew_line(const Record& record);

// The same of --beside. `product_type` is of a load's products; empty: it has none.
std::string beside_heading(const std::string& load, const std::string& product_type);
std::string beside_line(const Record& record);

// Everything after the last row. An average of nothing is 0. `verdicts`: lines of VerdictText.
std::string table_footer(const EndInfo& end, const std::string& program,
                         const TableOptions& options, const std::string& verdicts = {});

}  // namespace linerate
