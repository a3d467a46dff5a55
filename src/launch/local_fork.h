// --nprocs N: the started process stays, as the parent of one process for each rank.
#pragma once

#include "base/error.h"
#include "launch/identity.h"

#include <array>
#include <csignal>
#include <cstdint>
#include <functional>
#include <vector>

namespace linerate {

// By which users and launchers ask a run to end: Ctrl-C, kill, a terminal that is gone, Ctrl-\.
inline constexpr std::array kEndingSignals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};
// What follows the first of them so soon is the same request, sent by a shell and a launcher both.
inline constexpr double kSameRequestS = 0.5;

// From the first abnormal end of a process until the others are killed: longer than they need to
// notice it and to end by themselves (Watch::kGraceS).
inline constexpr double kForkGraceS = 5.0;

// How the processes ended.
struct ForkReport {
  // Those that ended by a signal or by a failure of their own, or had to be killed: not those that
  // ended because they heard of it.
  std::vector<int> lost{};
  std::int64_t noticed_ns = 0;  // of SteadyClock, when the first abnormal end was seen; 0: never
  bool interrupted = false;     // the caller's process was asked to end
};

struct ForkOptions {
  int ranks_per_process = 1;
  double timeout_s = 0;          // for how long all processes may be stopped; 0: for ever
  ForkReport* report = nullptr;  // is told; null: nobody asks
};

// Forks `nprocs` processes, each of which runs `body` with an identity of its own and ends with its
// code; the caller's process waits for them and yields the run's code, the worst by worse_of().
// What the body wrote with <cstdio> is flushed; other buffers are its own business. No rank
// outlives the caller. A process that a signal kills is named on stderr and makes the code `lost`.
// kEndingSignals sent to the caller reach the ranks (a terminal's Ctrl-C reaches them by itself).
// Processes that are stopped are killed once another one has failed; where all are stopped, nobody
// but the caller can end the run, and does after `timeout_s`. REQUIRES: no other thread runs.
// Throws Unavailable where TCP over loopback does not work.
ExitCode fork_processes(int nprocs, const std::function<ExitCode(const Identity&)>& body,
                        const ForkOptions& options = {});

// The same for one process with that identity, of a job that others take part in. Its listener_fd
// is then this process' alone.
ExitCode fork_process(const Identity& identity,
                      const std::function<ExitCode(const Identity&)>& body,
                      const ForkOptions& options = {});

// The code that says more about the cause. A process' own trouble (usage, unavailable, failed)
// comes before what its end makes of the others (interrupted, lost), then a finding, then ok.
ExitCode worse_of(ExitCode one, ExitCode other);

}  // namespace linerate
