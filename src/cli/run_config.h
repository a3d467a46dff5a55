// All that a command line and its variables say of a run, checked. Commands hand its parts on: only
// they and the tables of options know the whole.
#pragma once

#include "bench/config.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// What is printed and written, and by which limits a result is a finding.
struct OutputConfig {
  std::string jsonl_file{}, csv_file{};
  std::string json_file{};  // -J
  bool report_timestamps = false;
  bool report_memory = false;
  bool report_init = false;             // --report-init
  bool show_algorithms = false;         // --show-algo
  bool lists_verdicts = false;          // --verdict
  bool watches_health = false;          // --watch-health
  std::optional<double> fail_below{};   // --fail-below: an efficiency
  bool fail_unsure = false;             // --fail-unsure
  std::optional<double> min_bw_gbps{};  // NCCL_TESTS_MIN_BW
  std::optional<bool> progress{};       // --progress; nothing: where stderr is a terminal
  bool list = false;
  bool dry_run = false;
};

// What memcpy_perf alone takes.
struct MemcpyOptions {
  std::string tests = "all";                   // -t
  std::vector<int> gpus{};                     // --gpus; empty: all
  std::size_t bytes = std::size_t{512} << 20;  // -b
};

// What linerate suite alone takes.
struct SuiteOptions {
  std::vector<const Collective*> collectives{};  // --collectives; empty: all
  bool pairs = false;                            // --pairs: p2p_perf too
};

struct RunConfig : BenchConfig, OutputConfig {
  std::string program{};            // argv[0]'s basename
  std::vector<std::string> args{};  // argv
  MemcpyOptions memcpy{};
  SuiteOptions suite{};
  int repeat = 1;           // --repeat: how often the tool runs, each time in a fresh process
  std::string study{};      // LINERATE_STUDY: an id that runs of one study share
  int repetition = 0;       // likewise: which of them this is, from 1; 0: not told
  int repetitions = 0;      // likewise: how many there are; 0: not told
  double repetition_s = 0;  // likewise: how long those before took on average; 0: not told

  // Whether somebody reads which algorithm ran.
  bool observes() const {
    return collective != nullptr && (show_algorithms || !jsonl_file.empty());
  }
};

}  // namespace linerate
