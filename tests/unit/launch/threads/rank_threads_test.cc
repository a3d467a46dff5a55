// Threads as members: rank order, failures that wake everybody, and splits of any shape.
#include "launch/threads/rank_threads.h"

#include "base/error.h"
#include "launch/solo_bootstrap.h"
#include "support/bootstrap.h"
#include "support/bytes.h"
#include "support/spawn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <string>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Deadline kNever = Deadline::never();

std::vector<std::string> texts_of(const std::vector<Bytes>& all) {
  std::vector<std::string> texts;
  for (const auto& bytes : all) texts.push_back(text_of(bytes));
  return texts;
}

// `nprocesses` stand-ins for processes, each with its own group of `nthreads` threads.
void spawn_grid(int nprocesses, int nthreads, const std::function<void(Bootstrap&)>& body) {
  spawn(nprocesses, [&](Bootstrap& process) { run_rank_threads(process, nthreads, body); });
}

struct Shape {
  int nprocesses;
  int nthreads;
};

class Grid : public ::testing::TestWithParam<Shape> {
 protected:
  int nranks() const { return GetParam().nprocesses * GetParam().nthreads; }
  void run(const std::function<void(Bootstrap&)>& body) const {
    spawn_grid(GetParam().nprocesses, GetParam().nthreads, body);
  }
};

INSTANTIATE_TEST_SUITE_P(Shapes, Grid,
                         ::testing::Values(Shape{1, 1}, Shape{1, 2}, Shape{1, 5}, Shape{3, 1},
                                           Shape{2, 2}, Shape{3, 2}, Shape{2, 4}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.nprocesses) + "x" +
                                  std::to_string(shape.param.nthreads);
                         });

TEST_P(Grid, GivesEachRankOnce) {
  std::mutex mutex;
  std::multiset<int> seen;

  run([&](Bootstrap& member) {
    EXPECT_EQ(member.nranks(), nranks());
    const std::lock_guard lock(mutex);
    seen.insert(member.rank());
  });

  EXPECT_EQ(seen.size(), static_cast<std::size_t>(nranks()));
  for (int rank = 0; rank < nranks(); ++rank) EXPECT_EQ(seen.count(rank), 1u);
}

TEST_P(Grid, CountsLocalRanksOverAllThreadsOfTheHost) {
  run([&](Bootstrap& member) {
    EXPECT_EQ(member.place().local_rank, member.rank());
    EXPECT_EQ(member.place().local_nranks, nranks());
    EXPECT_EQ(member.place().nnodes, 1);
  });
}

TEST_P(Grid, GathersInRankOrderWithLengthsThatDiffer) {
  run([&](Bootstrap& member) {
    const auto mine = bytes_of(std::string(static_cast<std::size_t>(member.rank() % 3), 'x') +
                               std::to_string(member.rank()));

    const auto gathered = member.gather(mine, kNever);
    const auto all = member.all_gather(mine, kNever);

    ASSERT_EQ(all.size(), static_cast<std::size_t>(nranks()));
    for (int r = 0; r < nranks(); ++r)
      EXPECT_EQ(text_of(all[static_cast<std::size_t>(r)]),
                std::string(static_cast<std::size_t>(r % 3), 'x') + std::to_string(r));
    EXPECT_EQ(gathered, member.rank() == 0 ? all : std::vector<Bytes>{});
  });
}

TEST_P(Grid, BroadcastsFromEveryRoot) {
  run([&](Bootstrap& member) {
    for (int root = 0; root < nranks(); ++root) {
      const auto mine = bytes_of("from " + std::to_string(member.rank()));

      const auto received = member.broadcast(mine, root, kNever);

      EXPECT_EQ(text_of(received), "from " + std::to_string(root));
    }
  });
}

TEST_P(Grid, HoldsEverybodyAtABarrier) {
  std::atomic<int> arrived = 0;

  run([&](Bootstrap& member) {
    for (int round = 1; round <= 20; ++round) {
      ++arrived;
      member.barrier(kNever);
      EXPECT_GE(arrived.load(), round * nranks());
    }
  });
}

// Every pattern of colours over few ranks would be many: these are the shapes that differ.
int color_of(int pattern, int rank, int nranks) {
  switch (pattern) {
    case 0:
      return 0;  // all together
    case 1:
      return rank;  // all alone
    case 2:
      return rank % 2;  // threads of one process in different groups
    case 3:
      return rank * 2 / nranks;  // halves
    case 4:
      return rank % 3 == 1 ? -1 : rank % 3;  // some in none
    case 5:
      return (rank * 7 + 3) % 4 - 1;  // crosswise
    default:
      return -1;  // none
  }
}

TEST_P(Grid, SplitsByAnyPatternOfColoursAndKeys) {
  run([&](Bootstrap& member) {
    for (int pattern = 0; pattern < 7; ++pattern) {
      const int color = color_of(pattern, member.rank(), nranks());
      const bool reversed = pattern % 2 == 1;
      std::vector<std::string> expected;
      for (int r = 0; r < nranks(); ++r) {
        const int rank = reversed ? nranks() - 1 - r : r;
        if (color_of(pattern, rank, nranks()) == color) expected.push_back(std::to_string(rank));
      }

      const auto group = member.split(color, reversed ? -member.rank() : 0, kNever);

      ASSERT_EQ(group == nullptr, color < 0);
      if (!group) continue;
      ASSERT_EQ(group->nranks(), static_cast<int>(expected.size()));
      const auto mine = bytes_of(std::to_string(member.rank()));
      EXPECT_EQ(expected[static_cast<std::size_t>(group->rank())], text_of(mine));
      EXPECT_EQ(texts_of(group->all_gather(mine, kNever)), expected);
      EXPECT_EQ(text_of(group->broadcast(mine, group->nranks() - 1, kNever)), expected.back());
      EXPECT_EQ(group->gather(mine, kNever).empty(), group->rank() != 0);
      EXPECT_EQ(group->place().local_rank, group->rank());
      EXPECT_EQ(group->place().local_nranks, group->nranks());
      group->barrier(kNever);
    }
  });
}

TEST_P(Grid, SplitsAGroupThatIsASplitItself) {
  run([&](Bootstrap& member) {
    const auto half = member.split(member.rank() % 2, -member.rank(), kNever);

    const auto quarter = half->split(half->rank() % 2, 0, kNever);

    const auto all = quarter->all_gather(bytes_of(std::to_string(member.rank())), kNever);
    for (const auto& other : all) EXPECT_EQ(std::stoi(text_of(other)) % 2, member.rank() % 2);
  });
}

// The first of two processes, of which the other says what this one does.
class EchoedProcess final : public GatheringBootstrap {
 public:
  EchoedProcess() : GatheringBootstrap(0, 2, place_on({0, 1}, 0)) {}
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline&) override {
    return std::vector<Bytes>(2, Bytes(mine.begin(), mine.end()));
  }
};

TEST(Exchange, IsTheProcessesOwnWhereEachHasOneThread) {
  EchoedProcess process;

  run_rank_threads(process, 1, [](Bootstrap& member) {
    EXPECT_EQ(text_of(member.exchange(1, bytes_of("echo"), kNever)), "echo");
  });
}

TEST(Exchange, RefusesThreads) {
  const auto between = [](int nprocesses, int nthreads, int peer) {
    spawn_grid(nprocesses, nthreads, [&](Bootstrap& member) {
      if (member.rank() == 0 || member.rank() == peer)
        (void)member.exchange(peer - member.rank(), {}, kNever);
    });
  };

  EXPECT_THROW(between(2, 2, 2), Error);
  EXPECT_THROW(between(1, 2, 1), Error);
}

TEST(RankThreads, RethrowTheFirstFailureAndWakeThoseWhoWait) {
  std::atomic<int> woken = 0;
  const auto run = [&] {
    spawn(4, [&](Bootstrap& member) {
      if (member.rank() == 2) throw std::runtime_error("the disk is full");
      try {
        member.barrier(kNever);
      } catch (const PeerFailure& failure) {
        EXPECT_EQ(failure.ranks(), std::vector<int>{2});
        EXPECT_THAT(failure.what(), HasSubstr("rank 2 gave up: the disk is full"));
        ++woken;
        throw;
      }
    });
  };

  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(woken, 3);
}

TEST(RankThreads, WakeThoseWhoWaitInAGroupTheFailedOneIsNotIn) {
  std::atomic<int> woken = 0;
  const auto run = [&] {
    spawn(3, [&](Bootstrap& member) {
      const auto group = member.split(member.rank() == 2 ? 1 : 0, 0, kNever);
      if (member.rank() == 2) throw std::runtime_error("out of luck");
      try {
        if (member.rank() == 0)
          group->barrier(kNever);
        else
          member.barrier(kNever);
      } catch (const PeerFailure&) {
        ++woken;
        throw;
      }
    });
  };

  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(woken, 2);
}

TEST(RankThreads, CallOnFailureOnceFromTheThreadThatFailed) {
  std::atomic<int> calls = 0;
  const auto process = solo_bootstrap();
  const auto run = [&] {
    run_rank_threads(
        *process, 3,
        [](Bootstrap& member) {
          if (member.rank() > 0) throw std::runtime_error("no");
          member.barrier(kNever);
        },
        [&](const std::string&) { ++calls; });
  };

  EXPECT_THROW(run(), std::runtime_error);
  EXPECT_EQ(calls, 1);
}

TEST(RankThreads, NameTheRankThatIsMissingAtTheDeadline) {
  const SteadyClock clock;
  std::mutex mutex;
  std::vector<std::string> sentences;
  const auto run = [&] {
    spawn(3, [&](Bootstrap& member) {
      if (member.rank() == 1) return;
      try {
        member.barrier(Deadline::after(clock, 0.02));
      } catch (const Error& error) {
        const std::lock_guard lock(mutex);
        sentences.emplace_back(error.what());
        throw;
      }
    });
  };

  EXPECT_THROW(run(), TimeoutError);
  ASSERT_EQ(sentences.size(), 2u);
  for (const auto& sentence : sentences)
    EXPECT_THAT(sentence, HasSubstr("timed out in barrier: rank 1 of "));
}

TEST(RankThreads, PassOnAFailureOfTheProcessesInRanksOfThreads) {
  const auto run = [] {
    spawn(2, [](Bootstrap& process) {
      if (process.rank() == 1) throw PeerFailure("gone", {1});
      run_rank_threads(process, 2, [](Bootstrap& member) {
        try {
          member.barrier(kNever);
          ADD_FAILURE() << "a barrier without process 1";
        } catch (const PeerFailure& failure) {
          EXPECT_THAT(failure.ranks(), ElementsAre(2, 3));
          throw;
        }
      });
    });
  };

  EXPECT_THROW(run(), PeerFailure);
}

TEST(RankThreads, EndTheProcessOnAbort) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";

  EXPECT_EXIT(spawn(2,
                    [](Bootstrap& member) {
                      if (member.rank() == 1) member.abort(ExitCode::lost);
                      member.barrier(kNever);
                    }),
              ::testing::ExitedWithCode(4), "");
}

}  // namespace
}  // namespace linerate
