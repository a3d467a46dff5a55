// What a run was asked to do: the command line and variables, parsed and checked.
#pragma once

#include "collectives/collective.h"
#include "comm/data_type.h"
#include "comm/gpu_options.h"
#include "comm/red_op.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

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
enum class ProgressMode : std::uint8_t { automatic, on, off };

// --stop ci=1%,max=5s
struct StopRule {
  std::optional<double> ci{};     // half width of the median's 95 % interval over the median
  std::optional<double> max_s{};  // longest time of one case

  bool asked() const { return ci || max_s; }
};

// NCCL_TESTS_SPLIT and NCCL_TESTS_SPLIT_MASK: colour = op(global rank).
struct SplitRule {
  enum class Kind : std::uint8_t { none, bit_and, bit_or, mod, div } kind = Kind::none;
  std::uint64_t value = 0;  // mod, div: at least 1; or: at most INT_MAX
  // Ranks of one colour form a group. Not negative; 0 for all where nothing is split.
  int color(int rank) const;
};

// NCCL_TESTS_ALLTOALLV_*
struct TrafficOptions {
  double spread = 1.0;      // 0 uniform … 1 weighted by distance
  std::string matrix_file;  // empty: none
  double matrix_scale = 1.0;
  bool print_summary = false;
};

// What memcpy_perf alone takes.
struct MemcpyOptions {
  std::string tests = "all";                   // -t
  std::vector<int> gpus;                       // --gpus; empty: all
  std::size_t bytes = std::size_t{512} << 20;  // -b
};

struct RunConfig {
  std::string program{};                   // argv[0]'s basename
  std::vector<std::string> args{};         // argv
  const Collective* collective = nullptr;  // null: p2p_perf
  bool at_once = false;                    // p2p_perf --at-once: disjoint pairs together

  int nthreads = 1;  // -t
  int ngpus = 1;     // -g
  std::size_t min_bytes = std::size_t{32} << 20;
  std::size_t max_bytes = std::size_t{32} << 20;
  std::size_t step_bytes = std::size_t{1} << 20;
  int step_factor = 1;  // 1: off, step_bytes is added instead
  std::uint64_t iters = 20;
  int agg_iters = 1;
  std::uint64_t warmup_iters = 1;
  std::uint64_t run_cycles = 1;  // 0: for ever
  int check = 1;                 // verification rounds
  std::vector<RedOp> ops{RedOp::sum};
  std::vector<DataType> types{DataType::float32};
  int root = 0;  // -1: all
  Blocking blocking = Blocking::none;
  double timeout_s = 0;  // 0: off
  bool report_cputime = false;
  Average average = Average::mean;
  bool report_timestamps = false;
  bool report_memory = false;
  bool report_init = false;            // --report-init
  bool expects = true;                 // --expect
  bool lists_verdicts = false;         // --verdict
  std::optional<double> fail_below{};  // --fail-below: part of the bound
  std::size_t unalign = 0;             // elements
  bool per_iter_timing = false;
  std::uint64_t per_iter_skip = 0;
  std::string json_file{};  // -J
  GpuOptions gpu{};
  MemcpyOptions memcpy{};

  SplitRule split{};
  std::optional<double> min_bw_gbps{};  // NCCL_TESTS_MIN_BW
  std::optional<int> base_device{};     // NCCL_TESTS_DEVICE
  TrafficOptions traffic{};

  std::string backend = "auto";
  std::string algorithm{};  // --algo; empty: the backend chooses
  int nprocs = 0;           // --nprocs; 0: not asked for
  std::string jsonl_file{}, csv_file{};
  bool keep_samples = false;     // --samples
  bool show_algorithms = false;  // --show-algo
  StopRule stop{};
  Sync sync = Sync::barrier;
  Sliding sliding = Sliding::slide;
  std::optional<std::size_t> limit_memory{};  // bytes of a rank
  bool list = false;
  bool dry_run = false;
  ProgressMode progress = ProgressMode::automatic;
  std::uint64_t seed = 0;
  std::string nccl_library{};  // --nccl-lib; empty: as the linker finds it
  std::string emulate_file{};  // --emulate; empty: the network is what it is
  std::string fake{};          // --fake: what the fake backend injects

  // Whether somebody reads which algorithm ran.
  bool observes() const {
    return collective != nullptr && (show_algorithms || !jsonl_file.empty());
  }
  double init_timeout_s() const { return timeout_s > 0 ? timeout_s : 300; }
  // nccl-tests' JSON lists the time of every iteration with -I, and its maximum in each process.
  bool lists_samples_of_processes() const { return per_iter_timing && !json_file.empty(); }

  // Whether the last timed call is verified; with -G a further one is.
  bool verifies_timed_calls() const { return check > 0 && gpu.cudagraph == 0; }

  std::uint64_t window_calls() const { return iters * static_cast<std::uint64_t>(agg_iters); }
};

}  // namespace linerate
