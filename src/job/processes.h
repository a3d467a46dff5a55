// The processes of a job: who this one is, how it joins the others, what they must agree on.
#pragma once

#include "base/clock.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/result.h"
#include "comm/bootstrap.h"
#include "comm/plugin.h"
#include "job/config.h"
#include "launch/identity.h"
#include "launch/start_guard.h"
#include "record/record.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>

namespace linerate {

// detect_identity() for a job of so many ranks a process.
Result<Identity> identify(const JobConfig& config, const Environment& environment);

// Calls `process` in each process that is started here, with --nprocs in its forks, and yields its
// exit code, or the worst of theirs. See fork_processes().
ExitCode in_each_process(const Identity& identity, const JobConfig& config,
                         const std::function<ExitCode(const Identity&)>& process);

// The processes that were started together.
struct JoinedProcesses {
  std::unique_ptr<JobSession> mpi;  // null without an MPI launcher
  std::unique_ptr<Bootstrap> own;   // null with one

  Bootstrap& all() const { return mpi ? mpi->bootstrap() : *own; }
};

// What the start of a job waits by.
struct Start {
  const Clock& clock;
  Deadline deadline;
  WaitingFor* waiting_for = nullptr;  // is told for whom; null: nobody asks
};

// Collective over them. Throws what connect_processes() does, and Unavailable where MPI is not
// here.
JoinedProcesses join_processes(const Identity& identity, const Environment& environment,
                               const Start& start);

// The error of a start, with the ranks that are stopped: before there is a watch, MPI's own waits
// do not know who is missing.
Error with_stopped_ranks(const Error& error, const Identity& identity);

// Throws where one of the processes has failed to open what it needs: its own failure, or the first
// other one's, which on another host may have its own reasons. Collective.
void agree_that_all_opened(Bootstrap& processes, const Identity& identity,
                           const std::optional<Error>& failure, const Deadline& deadline);

// Throws Error (exit 2) where `mine` are not those of process 0: with the first name that differs,
// and both values. Every process says the same. Collective.
void compare_settings(Bootstrap& processes, std::span<const Setting> mine,
                      const Deadline& deadline);

}  // namespace linerate
