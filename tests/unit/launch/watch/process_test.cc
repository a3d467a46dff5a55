// How the watch names processes, and notices their ends.
#include "launch/watch/process.h"

#include "launch/solo_bootstrap.h"

#include <gtest/gtest.h>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace linerate {
namespace {

TEST(RanksText, JoinsNeighbours) {
  EXPECT_EQ(rank_list(std::vector{0}), "0");
  EXPECT_EQ(rank_list(std::vector{0, 2, 8, 9, 10, 11}), "0, 2, 8-11");
}

TEST(Subject, NamesRanksHostAndPid) {
  ControlProcess process;
  process.hostname = "node07";
  process.pid = 4711;
  process.first_rank = 4;
  process.nthreads = 2;
  process.ranks_per_thread = 2;

  EXPECT_EQ(subject(process, ranks_of(process)), "ranks 4-7 (node07, pid 4711)");
  EXPECT_EQ(subject(process, ranks_of(process, 1)), "ranks 6-7 (node07, pid 4711)");
}

TEST(WatchExit, TellsAProcessFromALaterOneOfTheSamePid) {
  const auto mine = own_process(*solo_bootstrap(), {});
  auto later = mine;
  ++later.started;

  EXPECT_TRUE(watch_exit(mine, mine).pidfd);
  EXPECT_TRUE(watch_exit(later, mine).gone);
}

TEST(WatchExit, TrustsNoPidOfAnotherNamespace) {
  const auto mine = own_process(*solo_bootstrap(), {});
  auto other = mine;
  ++other.pid_namespace;

  EXPECT_FALSE(watch_exit(other, mine).pidfd);
  EXPECT_FALSE(watch_exit(other, mine).gone);
}

}  // namespace
}  // namespace linerate
