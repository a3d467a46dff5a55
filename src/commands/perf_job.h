// The runs of a job, one after the other on the same ranks and communicators: a tool's one run, or
// those of a suite.
#pragma once

#include "backends/host/emulation/network.h"
#include "commands/command.h"
#include "commands/job_progress.h"
#include "commands/one_run.h"
#include "launch/identity.h"
#include "output/suite_table.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// What is run, before the processes meet.
class PerfJob {
 public:
  // `input` outlives it. `parsed.config` is the job's.
  PerfJob(const CommandInput& input, const ParsedRun& parsed);

  const RunConfig& config() const { return config_; }
  // Of its runs, in their order.
  std::vector<RunConfig> configs() const;

  // What this number of ranks cannot run, or what does not fit on the network; nothing: all is
  // well. Of a suite of all collectives, those that the ranks cannot run are left out, with a note
  // where this process `says` so.
  Refusal fit_to(std::int64_t nranks, const host::Network* network, bool says);

  // Opens the files of all runs, on rank 0.
  Refusal open_outputs();

  // The whole job in one of its processes. Throws what keeps the ranks from starting.
  ExitCode run(const Identity& identity, const std::shared_ptr<const host::Network>& network);

 private:
  struct Process;  // what of the job is known once its processes have met

  bool is_suite() const { return !study_.empty(); }
  ExitCode run_process(const Identity& identity, const host::Network* network);
  RunInfo describe(const RunConfig& run, const Identity& identity, Job& job,
                   const host::Network* network) const;
  std::optional<Error> refusal_of(Job& job, const host::Network* network);
  ExitCode run_thread(RankContext& rank, const Process& process);
  OneRun::Outcome measure(RankContext& rank, const Process& process, std::size_t index);
  void follow_runs();
  void say_where(const OneRun& run) const;
  void end_outputs(JobOutcome& outcome);
  void end_run(OneRun& run, const JobOutcome& outcome);
  void end_hung(ExitCode code, const std::string& sentence) noexcept;
  void end_unbegun() noexcept;
  void print_summary();

  const CommandInput& input_;
  const RunConfig config_;
  const std::string study_;  // of a suite
  std::vector<std::unique_ptr<OneRun>> runs_;
  JobProgress progress_;  // what follows is used on rank 0
  SuiteTable table_;
  std::atomic<OneRun*> current_;  // whose outputs have not ended; null: all have that began
  ExitCode code_of_current_ = ExitCode::ok;
};

}  // namespace linerate
