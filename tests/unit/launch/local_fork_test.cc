// --nprocs: real processes, their codes, their deaths and their parent.
#include "launch/local_fork.h"

#include "base/clock.h"
#include "base/error.h"
#include "launch/connect.h"
#include "unit/launch/deadlines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

namespace linerate {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::UnorderedElementsAre;
using ::testing::internal::CaptureStderr;
using ::testing::internal::GetCapturedStderr;

std::unique_ptr<Bootstrap> join(const Identity& identity) {
  return connect_processes(identity, later());
}

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

TEST(ForkProcesses, RunTheBodyOnceInEachRank) {
  const auto code = fork_processes(4, [](const Identity& identity) {
    const auto member = join(identity);
    const auto pid = std::to_string(::getpid());
    const auto pids = member->all_gather(std::as_bytes(std::span(pid)), later());
    const bool right = identity.nranks == 4 && member->rank() == identity.rank &&
                       member->place().local_nranks == 4 && pids[0] != pids[3];
    return right ? ExitCode::ok : ExitCode::failed;
  });

  EXPECT_EQ(code, ExitCode::ok);
}

TEST(ForkProcesses, SplitBetweenProcesses) {
  const auto code = fork_processes(5, [](const Identity& identity) {
    const auto member = join(identity);
    const auto group = member->split(identity.rank % 2, 0, later());
    group->barrier(later());
    return group->nranks() == (identity.rank % 2 == 0 ? 3 : 2) ? ExitCode::ok : ExitCode::failed;
  });

  EXPECT_EQ(code, ExitCode::ok);
}

TEST(ForkProcesses, YieldTheWorstCode) {
  const auto code_of = [](std::vector<ExitCode> codes) {
    return fork_processes(static_cast<int>(codes.size()), [&](const Identity& identity) {
      return codes[static_cast<std::size_t>(identity.rank)];
    });
  };

  EXPECT_EQ(code_of({ExitCode::ok, ExitCode::finding}), ExitCode::finding);
  EXPECT_EQ(code_of({ExitCode::lost, ExitCode::unavailable, ExitCode::lost}),
            ExitCode::unavailable);
  EXPECT_EQ(code_of({ExitCode::lost, ExitCode::interrupted}), ExitCode::interrupted);
  EXPECT_EQ(code_of({ExitCode::ok, static_cast<ExitCode>(66)}), ExitCode::failed);
}

TEST(ForkProcesses, ReportWhichWereLostAndNotWhichHeardOfIt) {
  const SteadyClock clock;
  const auto before_ns = clock.now_ns();
  ForkReport report;

  (void)fork_processes(5,
                       [](const Identity& identity) {
                         if (identity.rank == 1) ::raise(SIGKILL);
                         constexpr ExitCode kCodes[] = {ExitCode::ok, ExitCode::ok, ExitCode::lost,
                                                        ExitCode::failed, ExitCode::interrupted};
                         return kCodes[identity.rank];
                       },
                       {.report = &report});

  EXPECT_THAT(report.lost, UnorderedElementsAre(1, 3));
  EXPECT_GT(report.noticed_ns, before_ns);
  EXPECT_FALSE(report.interrupted);
}

TEST(ForkProcesses, SayWhatAChildThrew) {
  CaptureStderr();

  const auto code = fork_processes(
      1, [](const Identity&) -> ExitCode { throw Unavailable("there is no device here"); });

  EXPECT_THAT(GetCapturedStderr(), HasSubstr("there is no device here"));
  EXPECT_EQ(code, ExitCode::unavailable);
}

TEST(ForkProcesses, NameTheRankThatASignalKilled) {
  CaptureStderr();

  const auto code = fork_processes(3, [](const Identity& identity) {
    const auto member = join(identity);
    if (identity.rank == 1) (void)::raise(SIGKILL);
    try {
      member->barrier(later());
    } catch (const PeerFailure& failure) {
      return failure.ranks() == std::vector<int>{1} ? ExitCode::lost : ExitCode::failed;
    }
    return ExitCode::failed;
  });

  // The survivors' code would be `failed` had they not heard of rank 1.
  const auto said = GetCapturedStderr();
  EXPECT_THAT(said, MatchesRegex("linerate: rank 1 \\(.*, pid [0-9]+\\) was killed by signal 9 "
                                 "\\(Killed\\)\n"));
  EXPECT_EQ(code, ExitCode::lost);
}

TEST(ForkProcesses, TellEverySurvivorWhoDied) {
  CaptureStderr();
  int fds[2];
  ASSERT_EQ(::pipe(fds), 0);

  (void)fork_processes(4, [&](const Identity& identity) {
    const auto member = join(identity);
    if (identity.rank == 3) (void)::raise(SIGKILL);
    try {
      member->barrier(later());
    } catch (const PeerFailure& failure) {
      const char heard = failure.ranks() == std::vector<int>{3} ? 'y' : 'n';
      (void)!::write(fds[1], &heard, 1);
    }
    return ExitCode::lost;
  });
  ::close(fds[1]);
  char heard[8]{};
  const auto count = ::read(fds[0], heard, sizeof heard);
  ::close(fds[0]);

  EXPECT_EQ(std::string(heard, static_cast<std::size_t>(count)), "yyy");
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("rank 3 ("));
}

TEST(ForkProcesses, NameAllRanksOfAProcess) {
  CaptureStderr();

  (void)fork_processes(2,
                       [](const Identity& identity) {
                         if (identity.rank == 1) (void)::raise(SIGTERM);
                         return ExitCode::ok;
                       },
                       {.ranks_per_process = 2});

  EXPECT_THAT(GetCapturedStderr(), HasSubstr("ranks 2-3 ("));
}

TEST(ForkProcesses, KillRanksThatDoNotEndAfterAFailure) {
  CaptureStderr();

  const auto code = fork_processes(2, [](const Identity& identity) {
    if (identity.rank == 0) sleep_for_ever();
    return ExitCode::failed;
  });

  EXPECT_THAT(GetCapturedStderr(), HasSubstr("killing them"));
  EXPECT_EQ(code, ExitCode::failed);
}

TEST(ForkProcesses, KillStoppedRanksAsSoonAsAnotherHasFailed) {
  const SteadyClock clock;
  const auto start_ns = clock.now_ns();
  CaptureStderr();

  const auto code = fork_processes(3, [](const Identity& identity) {
    if (identity.rank == 1) (void)::raise(SIGSTOP);
    return identity.rank == 2 ? ExitCode::lost : ExitCode::ok;
  });

  EXPECT_THAT(GetCapturedStderr(), MatchesRegex("linerate: rank 1 \\(.*\\) stopped: killing .*\n"));
  EXPECT_EQ(code, ExitCode::lost);
  EXPECT_LT(static_cast<double>(clock.now_ns() - start_ns) * 1e-9, kForkGraceS / 2);
}

TEST(ForkProcesses, EndARunOfWhichAllRanksAreStopped) {
  CaptureStderr();

  const auto code = fork_processes(2,
                                   [](const Identity&) {
                                     (void)::raise(SIGSTOP);
                                     return ExitCode::ok;
                                   },
                                   {.timeout_s = 0.6});

  EXPECT_THAT(GetCapturedStderr(),
              MatchesRegex("linerate: rank 0 \\(.*\\), rank 1 \\(.*\\) stopped for .*\n"));
  EXPECT_EQ(code, ExitCode::lost);
}

// The parent as a process of its own, so that it can be signalled; its code is the run's.
struct Parent {
  explicit Parent(const std::function<ExitCode(const Identity&)>& body) {
    if (::pipe(fds) != 0) throw std::runtime_error("pipe");
    pid = ::fork();
    if (pid == 0) ::_exit(static_cast<int>(fork_processes(2, body)));
    ::close(fds[1]);
  }
  ~Parent() { ::close(fds[0]); }

  // One byte that each rank writes once it is ready.
  void wait_for_ranks() const {
    char ready = 0;
    for (int i = 0; i < 2; ++i) ASSERT_EQ(::read(fds[0], &ready, 1), 1);
  }
  int status() const {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  }

  static inline int fds[2];
  pid_t pid = 0;
};

ExitCode ready_then_sleep(const Identity&) {
  (void)!::write(Parent::fds[1], "r", 1);
  sleep_for_ever();
}

TEST(ForkProcesses, PassOnSignalsAndEndAsInterrupted) {
  for (const int signal : kEndingSignals) {
    const Parent parent(ready_then_sleep);
    parent.wait_for_ranks();

    (void)::kill(parent.pid, signal);

    const int status = parent.status();
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
  }
}

// Ranks that end a second after the first signal, as at the end of their case; a second signal of
// the same request must not reach them, nor start the time after which they are killed.
ExitCode ready_then_end_slowly(const Identity&) {
  static volatile sig_atomic_t signals = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { signals = signals + 1; };
  ::sigaction(SIGINT, &action, nullptr);
  (void)!::write(Parent::fds[1], "r", 1);
  const SteadyClock clock;
  while (signals == 0) (void)::poll(nullptr, 0, 1000);
  const auto end = Deadline::after(clock, kForkGraceS + 1);
  while (!end.passed()) (void)::poll(nullptr, 0, end.poll_ms());
  return signals == 1 ? ExitCode::interrupted : ExitCode::failed;
}

TEST(ForkProcesses, TakeTwoSignalsInAMomentForOneRequest) {
  const Parent parent(ready_then_end_slowly);
  parent.wait_for_ranks();

  (void)::kill(parent.pid, SIGINT);
  (void)::poll(nullptr, 0, 100);
  (void)::kill(parent.pid, SIGINT);

  const int status = parent.status();
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 130);
}

TEST(ForkProcesses, DoNotOutliveTheirParent) {
  const Parent parent(ready_then_sleep);
  parent.wait_for_ranks();

  (void)::kill(parent.pid, SIGKILL);
  (void)parent.status();

  // The pipe ends when the last rank that holds it is gone.
  char byte = 0;
  EXPECT_EQ(::read(parent.fds[0], &byte, 1), 0);
}

TEST(WorseOf, PrefersTheCauseToItsConsequences) {
  const std::vector<ExitCode> order{ExitCode::ok,          ExitCode::finding, ExitCode::lost,
                                    ExitCode::interrupted, ExitCode::failed,  ExitCode::unavailable,
                                    ExitCode::usage};

  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_EQ(worse_of(order[i], order[j]), order[i]);
      EXPECT_EQ(worse_of(order[j], order[i]), order[i]);
    }
}

}  // namespace
}  // namespace linerate
