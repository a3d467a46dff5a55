// How far the runs of a job are, for stderr of rank 0.
#pragma once

#include "base/clock.h"
#include "bench/run.h"
#include "cli/run_config.h"
#include "commands/live_progress.h"
#include "launch/watch/watch.h"
#include "model/model.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

// What a run is about to do, in the order in which its results come. `cases` are those of one
// cycle, empty for p2p_perf; `model` may be null: it knows how long calls should take.
struct PlannedRun {
  const RunConfig& config;
  int nranks = 0;
  std::span<const Case> cases{};
  const PerformanceModel* model = nullptr;
  double slower = 1;  // calls, than the model says
  const TrafficMatrix* traffic = nullptr;
};
// With pieces of `kind` and the two kinds after it.
Block block_of(const PlannedRun& run, int kind);

// Used on rank 0: one thread tells what is done; a thread of its own draws.
class JobProgress {
 public:
  // `forced`: --progress. `name` is that of the job; empty: those of its runs.
  JobProgress(std::optional<bool> forced, std::string name);

  // The runs of the job, in their order, all on the same ranks. They outlive it.
  void follow(std::vector<const RunConfig*> runs) { runs_ = std::move(runs); }

  Progress& line() { return live_.line(); }

  // A run begins; the first one starts the clock. `model` is used in the call only.
  void begin(const RunConfig& run, const RunStart& start, const PerformanceModel* model);
  void stage(const Stage& stage);
  void result() { line().done(); }
  // Nothing follows.
  void end() { live_.end(); }

 private:
  Block block_of_run(std::size_t index, const RunStart& start, const PerformanceModel* model) const;

  const std::string name_;
  SteadyClock clock_;
  LiveProgress live_;
  std::vector<const RunConfig*> runs_;
  const RunConfig* run_ = nullptr;  // under way
  bool first_call_ = false;         // of that run is to come: it may connect
  std::int64_t filling_began_ns_ = 0;
  double filled_bytes_ = 0;  // of the filling under way
};

}  // namespace linerate
