// One run of a job: measured by all its rank threads, judged and written down on rank 0.
#pragma once

#include "bench/run.h"
#include "commands/command.h"
#include "commands/job_progress.h"
#include "commands/outputs.h"
#include "diagnose/judge.h"
#include "job/job.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

class OneRun {
 public:
  // `input` outlives it.
  OneRun(const CommandInput& input, RunConfig config) : input_(input), config_(std::move(config)) {}
  OneRun(const OneRun&) = delete;
  OneRun& operator=(const OneRun&) = delete;

  // Opens the files, on rank 0; what is wrong with one otherwise. `progress` and `table`, which may
  // be null, outlive it.
  Refusal open_outputs(JobProgress& progress, SuiteTable* table);

  // Of a run that is not to begin: its files say why.
  void leave_out(const std::string& why) noexcept {
    if (outputs_) outputs_->end_unbegun(why);
  }

  const RunConfig& config() const { return config_; }
  Outputs& outputs() { return *outputs_; }

  // What the job knows of the run.
  struct Start {
    RunInfo info{};                // on rank 0
    bool observes_calls = false;   // Job::observes()
    bool another_follows = false;  // in this job
  };
  struct Outcome {
    ExitCode code = ExitCode::ok;  // on rank 0
    bool interrupted = false;      // on all threads
  };
  // Collective over all rank threads. Where nothing can run, a run that is `alone` in its job
  // throws Unavailable.
  Outcome measure(RankContext& rank, const Start& start, bool alone);

  // On rank 0, once: ends the table and the files. Throws where they cannot be written.
  void end(ExitCode code, const std::optional<std::string>& failure);

 private:
  RunTotals watched(RankContext& rank, const std::function<RunTotals()>& run);
  RunEvents events_of(const RankContext& rank);
  std::size_t known_cache_bytes(const RankContext& rank) const;
  void begin_judging(const RunStart& start);
  Judgement judgement(const RunTotals& totals) const;
  ExitCode verdict(const RunTotals& totals, const Judgement& judgement) const;
  bool misses_average(const RunTotals& totals) const;
  std::optional<std::string> remark(ExitCode code) const;

  const CommandInput& input_;
  const RunConfig config_;
  JobProgress* progress_ = nullptr;  // on rank 0, as is what follows
  std::unique_ptr<Outputs> outputs_;
  RunTotals totals_;
  Judge judge_;
  std::optional<Judgement> judgement_;  // of a run that came to its end
  std::string why_no_bound_;            // in words that follow a colon
  std::vector<NodeHealth> health_;
};

}  // namespace linerate
