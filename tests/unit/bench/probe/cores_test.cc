// Threads on cores, and those that may not be there.
#include "bench/probe/cores.h"

#include "base/clock.h"
#include "bench/probe/flag.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <thread>

namespace linerate::probe {
namespace {

constexpr int kNoCore = 5000;  // beyond a cpu_set_t too

int core_now() { return ::sched_getcpu(); }

TEST(Cores, HoldTheThreadsThatAreBoundToThem) {
  int core = -1;
  bool pinned = false;
  int left = 0;

  std::jthread([&] {
    core = core_now();
    pinned = pin_to(core);
    left = ncores();
  }).join();

  EXPECT_TRUE(pinned);
  EXPECT_EQ(left, 1);
}

TEST(Cores, ThatAreNotThereAreTold) {
  bool pinned = true;
  int left = 0;

  std::jthread([&] {
    pinned = pin_to(kNoCore) || pin_to(-1);
    left = ncores();
  }).join();

  EXPECT_FALSE(pinned);
  EXPECT_EQ(left, ncores());
}

TEST(FlagsBetweenCores, AreNotTimedWhereOneIsNotThere) {
  const SteadyClock clock;

  EXPECT_TRUE(flag_round_trips_ns(clock, 1, core_now(), kNoCore).empty());
}

}  // namespace
}  // namespace linerate::probe
