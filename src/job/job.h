// A job of ranks, which anything can start: a benchmark, a survey, a trainer, a program of 40
// lines.
//
// run_job() is the whole of it. Its steps:
//   identify()       who this process is, by its launcher's variables          processes.h
//   in_each_process  forks for --nprocs                                        processes.h
//   Job              joins the processes, compares their settings, opens the   job.h
//                    backend that all agree on                                 backend_choice.h
//   Job::run         starts the watch and the rank threads; the body runs on   job.h
//                    each with a RankContext, which has all that a rank needs  rank_context.h
//   Job::leave       all processes end with one exit code                      job.h
// The way in is the body, the way out its exit code or what it throws. Rank 0's code is the job's;
// what any body throws ends all ranks, and each process says once what it was.
#pragma once

#include "backends/table.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/error.h"
#include "job/backend_choice.h"
#include "job/config.h"
#include "job/processes.h"
#include "job/rank_context.h"
#include "launch/start_guard.h"
#include "launch/watch/watch.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace linerate {

// What a job is started with; all of it outlives the job.
struct JobSetup {
  const JobConfig& config;
  const Environment& environment;
  std::function<bool()> interrupted{};  // true after Ctrl-C; null: never
  // Whether this process says on stderr that it heard a signal; null: it always does.
  std::function<void(bool answers)> answer_interrupts{};
  // Keeps what rank 0 has, from another thread, where the process is ended while it hangs. Must not
  // throw.
  std::function<void(ExitCode, const std::string&)> at_end{};
  // Told, in a process that ends because ranks were lost, which ones: all that are left agree on
  // it.
  std::function<void(std::span<const int> ranks)> at_loss{};
  std::span<const Setting> settings{};  // that must be the same in all processes, beside config's
  bool observes = false;                // somebody reads which algorithms ran
};

// How the threads of this process ended.
struct JobOutcome {
  ExitCode code = ExitCode::ok;
  std::optional<std::string> failure{};  // why the job could not go on, for its records
  std::string cause{};                   // likewise, as this process saw it
};

// Collective over all rank threads; yields the exit code, of which rank 0's counts.
using RankBody = std::function<ExitCode(RankContext&)>;

// One process of a job.
class Job {
 public:
  // Collective over the processes. REQUIRES: backend_refusal() has none. Throws Unavailable where
  // the backend, its module or its launcher is not here, Error (exit 2) where settings differ.
  Job(const JobSetup& setup, const Identity& identity);
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  std::int64_t nranks() const;
  Backend& backend() { return *backend_; }
  bool has_rank_0() const { return identity_.rank == 0; }
  // As process 0 has it: the calls of all ranks depend on it.
  bool observes() const { return observes_; }

  // Starts the watch, then runs the body on each rank thread of this process. What a body throws is
  // said on stderr and is the outcome. Throws where the watch cannot start.
  JobOutcome run(const RankBody& body);

  // Yields the code that all processes end with: rank 0's, unless one has failed. Ends the others
  // where they wait in a library that hears of no failure.
  ExitCode leave(const JobOutcome& outcome);

 private:
  StartGuard::Options guard_options();
  Watch::Options watch_options();
  BackendChoice agree_on_backend();
  void open_backend_of(const BackendChoice& choice);
  void run_threads(const RankBody& body);
  void thread_is_set_up();
  void thread_failed(const std::string& sentence);
  void await_report(std::chrono::milliseconds at_most) const;
  JobOutcome failed(const Error& error);
  ExitCode end_together(ExitCode code);
  ExitCode end_others(const JobOutcome& outcome);
  int threads() const;
  std::string own_name() const;
  bool blames_others() const;
  std::string failure_sentence(const Error& error) const;

  const JobSetup& setup_;
  const JobConfig& config_;
  const Identity identity_;
  SteadyClock clock_;
  StartGuard guard_;
  std::atomic<int> threads_set_up_{0};
  Deadline init_deadline_;
  // Destroyed from the bottom up: the MPI session outlives all communicators.
  JoinedProcesses processes_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Watch> watch_;
  bool observes_ = false;
  ExitCode code_of_rank_0_ = ExitCode::ok;
};

// In the process of that identity: joins the others, runs the body, yields the exit code. Throws
// what goes wrong before the ranks have started.
ExitCode run_process(const JobSetup& setup, const Identity& identity, const RankBody& body);

// The whole way from the launcher's variables to the exit code, for a program that has nothing else
// to do: what goes wrong is said on stderr.
ExitCode run_job(const JobSetup& setup, const RankBody& body);

}  // namespace linerate
