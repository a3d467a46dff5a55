// Threads on cores, and those that may not be there.
#include "bench/probe/cores.h"

#include "base/clock.h"

#include <gtest/gtest.h>

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <system_error>
#include <thread>

namespace linerate::probe {
namespace {

constexpr int kNoCore = 5000;  // beyond a cpu_set_t too

int core_now() { return ::sched_getcpu(); }

TEST(Cores, HoldTheThreadsThatAreBoundToThem) {
  int core = -1;
  bool pinned = false;
  std::size_t left = 0;

  std::jthread([&] {
    core = core_now();
    pinned = pin_to(core);
    left = allowed_cores().size();
  }).join();

  EXPECT_TRUE(pinned);
  EXPECT_EQ(left, 1u);
}

TEST(Cores, ThatAreNotThereAreTold) {
  bool pinned = true;
  std::size_t left = 0;

  std::jthread([&] {
    pinned = pin_to(kNoCore) || pin_to(-1);
    left = allowed_cores().size();
  }).join();

  EXPECT_FALSE(pinned);
  EXPECT_EQ(left, allowed_cores().size());
}

TEST(FlagsBetweenCores, AreNotTimedWhereOneIsNotThere) {
  const SteadyClock clock;

  EXPECT_TRUE(flag_round_trips_ns(clock, 1, core_now(), kNoCore).empty());
}

constexpr unsigned kLongestS = 20;
// Larger than what threads of other tests may have left for the next ones.
constexpr std::size_t kStackBytes = std::size_t{128} << 20;
constexpr rlim_t kRoomForOneThread = kStackBytes + kStackBytes / 2;

// In a process of its own: 0 when the failure was thrown, killed by SIGALRM when it waits for ever.
int without_room_for_two_threads() {
  ::alarm(kLongestS);
  pthread_attr_t large;
  ::pthread_attr_init(&large);
  ::pthread_attr_setstacksize(&large, kStackBytes);
  if (::pthread_setattr_default_np(&large) != 0) return 1;
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const auto in_use = static_cast<rlim_t>(pages) * static_cast<rlim_t>(::getpagesize());
  const rlimit limit{.rlim_cur = in_use + kRoomForOneThread, .rlim_max = RLIM_INFINITY};
  if (::setrlimit(RLIMIT_AS, &limit) != 0) return 1;
  try {
    const auto cores = allowed_cores();
    (void)flag_round_trips_ns(SteadyClock(), 1, cores[0], cores[1]);
  } catch (const std::system_error&) {
    return 0;
  }
  return 2;
}

TEST(Flag, YieldsOneTimeOfEachWindow) {
  const auto cores = allowed_cores();
  if (cores.size() < 2) GTEST_SKIP() << "this process may use one core only";

  const auto times_ns = flag_round_trips_ns(SteadyClock(), 3, cores[0], cores[1]);

  ASSERT_EQ(times_ns.size(), 3u);
  for (const auto time_ns : times_ns) EXPECT_GT(time_ns, 1) << "both ways";
}

TEST(Flag, ThrowsWhereTheSecondThreadCannotBeStarted) {
  if (allowed_cores().size() < 2) GTEST_SKIP() << "this process may use one core only";

  const auto pid = ::fork();
  if (pid == 0) ::_exit(without_room_for_two_threads());
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);

  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace

}  // namespace linerate::probe
