// What is measured and how: the settings of a benchmark, checked.
#pragma once

#include "bench/skew.h"
#include "collectives/collective.h"
#include "comm/data_type.h"
#include "job/config.h"
#include "stats/summary.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// NCCL_TESTS_SPLIT and NCCL_TESTS_SPLIT_MASK: colour = op(global rank).
struct SplitRule {
  enum class Kind : std::uint8_t { none, bit_and, bit_or, mod, div } kind = Kind::none;
  std::uint64_t value = 0;  // mod, div: at least 1; or: at most INT_MAX
  // Ranks of one colour form a group. Not negative; 0 for all where nothing is split.
  int color(int rank) const {
    const auto global = static_cast<std::uint64_t>(rank);
    switch (kind) {
      case Kind::none:
        return 0;
      case Kind::bit_and:
        return static_cast<int>(global & value);
      case Kind::bit_or:
        return static_cast<int>(global | value);
      case Kind::mod:
        return static_cast<int>(global % value);
      case Kind::div:
        return static_cast<int>(global / value);
    }
    __builtin_unreachable();
  }
};

// What runs on each rank beside the collective (--beside).
struct LoadOptions {
  enum class Kind : std::uint8_t { none, gemm, memory, collective } kind = Kind::none;
  const Collective* collective = nullptr;  // of Kind::collective
  std::size_t size = 0;                    // gemm: rows and columns, 0: as usual; else bytes
  DataType type = DataType::float32;       // gemm: once the device has said it
  SplitRule split{};                       // ranks of one colour call the collective
  std::string text{};                      // all of it: "gemm:512", "all_gather:4M:MOD2"
  bool asked() const { return kind != Kind::none; }
};

// NCCL_TESTS_ALLTOALLV_*
struct TrafficOptions {
  double spread = 1.0;        // 0 uniform … 1 weighted by distance
  std::string matrix_file{};  // empty: none
  double matrix_scale = 1.0;
  bool print_summary = false;
};

// Which calls, on which data, among which ranks.
struct CaseConfig {
  const Collective* collective = nullptr;  // null: p2p_perf
  bool at_once = false;                    // p2p_perf --at-once: disjoint pairs together
  std::size_t min_bytes = std::size_t{32} << 20;
  std::size_t max_bytes = std::size_t{32} << 20;
  std::size_t step_bytes = std::size_t{1} << 20;
  int step_factor = 1;  // 1: off, step_bytes is added instead
  std::vector<RedOp> ops{RedOp::sum};
  std::vector<DataType> types{DataType::float32};
  int root = 0;             // -1: all
  std::size_t unalign = 0;  // elements
  std::string algorithm{};  // --algo; empty: the backend chooses
  SplitRule split{};
  TrafficOptions traffic{};
  std::optional<std::size_t> limit_memory{};  // bytes of a rank
};

// How the time of the processes and threads becomes one (-a).
enum class Average : std::uint8_t { rank0, mean, min, max };

// What is waited for between calls (-z).
enum class Blocking : std::uint8_t {
  none = 0,
  wait_and_barrier = 1,  // after each inner call
  wait = 2,              // after each inner call
  outer = 3,             // after each outer iteration; the barrier is not in the time
};

enum class Sync : std::uint8_t { barrier, none };    // outside the stamps of a sample
enum class Sliding : std::uint8_t { slide, fixed };  // --buffers

using stats::StopRule;  // --stop ci=1%,max=5s

// How often the calls are made, and what is timed.
struct TimingConfig {
  std::uint64_t iters = 20;
  int agg_iters = 1;
  std::uint64_t warmup_iters = 1;
  std::uint64_t run_cycles = 1;  // 0: for ever
  Blocking blocking = Blocking::none;
  Average average = Average::mean;
  Sync sync = Sync::barrier;
  SkewOptions skew{};    // of samples
  LoadOptions beside{};  // measured after the samples
  Sliding sliding = Sliding::slide;
  StopRule stop{};
  bool per_iter_timing = false;
  std::uint64_t per_iter_skip = 0;
  bool report_cputime = false;  // the time of a row is that of the calls until they return
  std::string turns{};          // whom rank 0 asks before each window (launch/turns.h); empty: none

  std::uint64_t window_calls() const { return iters * static_cast<std::uint64_t>(agg_iters); }
};

// What is compared with what the data should be.
struct VerificationConfig {
  int check = 1;  // rounds
  std::uint64_t seed = 0;
};

// What is kept of a measurement beside its results.
struct KeepConfig {
  bool observes_calls = false;        // which algorithm ran: somebody reads it
  bool keep_samples = false;          // --samples
  bool keep_process_samples = false;  // of each process, for nccl-tests' JSON with -I
  bool expects = true;                // --expect: say how fast results should be
  bool another_follows = false;       // a run of the same job, which needs the communicators
};

// A function takes the part that it needs.
struct BenchConfig : JobConfig, CaseConfig, TimingConfig, VerificationConfig, KeepConfig {
  // Whether the last timed call is verified; with -G a further one is.
  bool verifies_timed_calls() const { return check > 0 && gpu.cudagraph == 0; }
};

}  // namespace linerate
