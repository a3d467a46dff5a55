// How the watch names processes, notices their ends, and who is linked to whom.
#include "launch/watch/process.h"

#include "launch/solo_bootstrap.h"
#include "support/folder.h"

#include <gmock/gmock.h>
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

TEST(FieldsOfStat, BeginBehindANameWithBracketsAndBlanks) {
  const TemporaryFolder folder;

  auto fields = fields_of_stat(folder.write("stat", "17 (a) b (c) S 4 5\n"));

  std::string state;
  int parent = 0;
  fields >> state >> parent;
  EXPECT_EQ(state, "S");
  EXPECT_EQ(parent, 4);
}

TEST(FieldsOfStat, AreNoneOfAProcessThatIsGone) {
  std::string word;
  EXPECT_FALSE(fields_of_stat("/proc/none/stat") >> word);
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

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(ControlNeighbours, AreTheTreesAndTheRings) {
  EXPECT_THAT(control_neighbours(0, 1), IsEmpty());
  EXPECT_THAT(control_neighbours(0, 2), ElementsAre(1));
  EXPECT_THAT(control_neighbours(1, 3), ElementsAre(0, 2));
  EXPECT_THAT(control_neighbours(0, 10), ElementsAre(1, 2, 9));
  EXPECT_THAT(control_neighbours(4, 10), ElementsAre(1, 3, 5, 9));
  EXPECT_THAT(control_neighbours(9, 10), ElementsAre(0, 4, 8));
}

TEST(ControlNeighbours, AreMutual) {
  for (int n = 1; n < 40; ++n)
    for (int process = 0; process < n; ++process)
      for (const int other : control_neighbours(process, n))
        EXPECT_THAT(control_neighbours(other, n), Contains(process)) << n;
}

// Whether all others are still connected when the two are gone.
bool connected_without(int a, int b, int n) {
  std::vector<bool> reached(static_cast<std::size_t>(n));
  const auto reach = [&](auto&& self, int process) -> int {
    if (process == a || process == b || reached[static_cast<std::size_t>(process)]) return 0;
    reached[static_cast<std::size_t>(process)] = true;
    int count = 1;
    for (const int other : control_neighbours(process, n)) count += self(self, other);
    return count;
  };
  int start = 0;
  while (start == a || start == b) ++start;
  return reach(reach, start) == n - 2;
}

TEST(ControlNeighbours, HoldTogetherWhenAnyTwoAreGone) {
  for (const int n : {5, 6, 7, 8, 16, 33, 64})
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b) EXPECT_TRUE(connected_without(a, b, n)) << n << a << b;
}

}  // namespace

}  // namespace linerate
