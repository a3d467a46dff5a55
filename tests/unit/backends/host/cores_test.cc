// Keeping ranks on cores of their own.
#include "backends/host/cores.h"

#include "ranks.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace linerate::host {
namespace {

bool has_two_cores() { return usable_cores().count() >= 2; }

// Puts the calling thread on its first core, with its mask as before.
int go_to_first_core() {
  const CoreSet cores = usable_cores();
  std::vector<int> others;
  int first = -1;
  for (int core = 0; core < static_cast<int>(cores.size()); ++core)
    if (cores[static_cast<std::size_t>(core)])
      first < 0 ? void(first = core) : others.push_back(core);
  move_from(others);
  return first;
}

// On a busy machine the kernel moves threads, too: most attempts count.
TEST(OwnCore, IsLeftForAnother) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  const CoreSet before = usable_cores();
  int on_first = 0, left = 0;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const int first = go_to_first_core();
    if (current_core() != first) continue;
    ++on_first;

    move_from(std::array{first});

    left += current_core() != first ? 1 : 0;
    EXPECT_EQ(usable_cores(), before);
  }

  EXPECT_GT(on_first, 0);
  EXPECT_GT(2 * left, on_first);
}

TEST(OwnCore, IsNotLeftWhereAllAreTaken) {
  std::vector<int> all;
  for (int core = 0; core < static_cast<int>(CoreSet().size()); ++core) all.push_back(core);
  const CoreSet before = usable_cores();

  move_from(all);

  EXPECT_EQ(usable_cores(), before);
}

TEST(OwnCore, IsKeptForTheLifeOfTheObject) {
  const CoreSet before = usable_cores();
  {
    OwnCore own;
    own.stay(current_core());
    EXPECT_TRUE(own.stays());
    EXPECT_EQ(usable_cores().count(), 1U);
    EXPECT_TRUE(usable_cores()[static_cast<std::size_t>(current_core())]);
  }
  EXPECT_EQ(usable_cores(), before);
}

TEST(OwnCore, IsTheLowerRanksUnlessTheHigherOneStaysThere) {
  const auto step = [](std::vector<CoreMark> marks, int rank) { return core_step(marks, rank); };

  EXPECT_EQ(step({{.core = 4}, {.core = 7}}, 0), CoreStep::stay);
  EXPECT_EQ(step({{.core = 4}, {.core = 7}}, 1), CoreStep::stay);
  EXPECT_EQ(step({{.core = 4}, {.core = 4}}, 0), CoreStep::none);
  EXPECT_EQ(step({{.core = 4}, {.core = 4}}, 1), CoreStep::leave);
  EXPECT_EQ(step({{.core = 4}, {.core = 4, .stays = true}}, 0), CoreStep::leave);
  EXPECT_EQ(step({{.core = 4}, {.core = 4, .stays = true}}, 1), CoreStep::none);
  EXPECT_EQ(step({{.core = 4}, {.core = 4}, {.core = 4, .stays = true}}, 0), CoreStep::leave);
}

TEST(OwnCore, IsFoundByRanksThatStartOnOne) {
  if (!has_two_cores()) GTEST_SKIP() << "one core";
  std::array<int, 2> cores{};
  std::array<std::atomic<bool>, 2> stays{};
  run_ranks({.nranks = 2, .options = {.ranks_stay = true}}, [&](Rank rank) {
    const auto own = static_cast<std::size_t>(rank.comm.rank());
    go_to_first_core();
    // One round does on an idle machine; on a busy one the kernel moves ranks between barriers.
    for (int i = 0; i < 1000 && !(stays[0] && stays[1]); ++i) {
      rank.comm.barrier();
      stays[own] = usable_cores().count() == 1;
      rank.comm.barrier();
    }
    EXPECT_TRUE(stays[own]);
    cores[own] = current_core();
  });

  EXPECT_NE(cores[0], cores[1]);
}

TEST(OwnCore, IsNobodysWhereRanksOutnumberCores) {
  run_ranks({.nranks = 2, .options = {.cores = 1, .ranks_stay = true}}, [&](Rank rank) {
    const CoreSet before = usable_cores();
    for (int i = 0; i < 3; ++i) rank.comm.barrier();
    EXPECT_EQ(usable_cores(), before);
  });
}

CoreSet cores(std::initializer_list<std::size_t> numbers) {
  CoreSet set;
  for (const std::size_t number : numbers) set.set(number);
  return set;
}

TEST(Oversubscription, IsNoneWhereEachRankHasACoreOfItsOwn) {
  const std::vector masks{cores({0}), cores({1}), cores({2})};

  EXPECT_FALSE(oversubscribed(masks, std::vector{0, 1, 2}));
}

TEST(Oversubscription, FormsWhenRanksOutnumberTheirCores) {
  const std::vector masks{cores({0, 1}), cores({0, 1}), cores({0, 1})};

  EXPECT_TRUE(oversubscribed(masks, std::vector{0, 0, 0}));
}

TEST(Oversubscription, FormsWithinAProcessThatIsBoundToOneCore) {
  const std::vector masks{cores({0}), cores({0}), cores({1, 2, 3})};

  EXPECT_TRUE(oversubscribed(masks, std::vector{0, 0, 2}));
}

TEST(Oversubscription, SeesTheCallingThreadsCores) { EXPECT_GE(usable_cores().count(), 1u); }

}  // namespace

}  // namespace linerate::host
