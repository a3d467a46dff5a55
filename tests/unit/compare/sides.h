// Made-up runs and sides, for tests of what compares them.
#pragma once

#include "compare/runs.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace linerate {

inline RunInfo made_run(const std::string& run_id) {
  return {.run_id = run_id,
          .version = "0.1.0",
          .args = {"all_reduce_perf", "-g", "2"},
          .environment = {"NCCL_ALGO=Ring"},
          .backend = "host",
          .nranks = 2,
          .settings = {{"max_bytes", "1048576"}, {"blocking", "0"}, {"buffers", "\"slide\""}}};
}

inline Record made_result(const std::string& run_id, std::uint64_t bytes, double us) {
  SampleInfo samples{.us = {.n = 20, .min = us * 0.9, .median = us, .mean = us, .max = us * 2}};
  return {.run_id = run_id,
          .what = {.collective = "all_reduce", .type = "float", .redop = "sum", .bytes = bytes},
          .nranks = 2,
          .backend = "host",
          .window = {.iters = 20, .time_us = us * 1.1},
          .busbw_gbps = 10,
          .samples = samples};
}

// A run for each time, of one case of 1 MiB; of a study where it has a name.
inline RunFile made_file(const std::string& name, const std::vector<double>& times_us,
                         const std::string& study = {}) {
  RunFile file;
  for (std::size_t i = 0; i < times_us.size(); ++i) {
    auto run = made_run(fmt::format("{}{}", name, i));
    run.study = study;
    run.repeat = study.empty() ? 0 : static_cast<int>(i + 1);
    file.records.push_back(made_result(run.run_id, 1 << 20, times_us[i]));
    file.runs.push_back(std::move(run));
  }
  return file;
}

inline Side made_side(const std::string& name, const std::vector<double>& times_us,
                      const std::string& study = {}) {
  return side_of(name, made_file(name, times_us, study));
}

// `n` runs that take about `us`.
inline std::vector<double> about(double us, int n) {
  std::vector<double> times;
  for (int i = 0; i < n; ++i) times.push_back(us * (1 + 0.001 * ((i * 7) % n)));
  return times;
}

}  // namespace linerate
