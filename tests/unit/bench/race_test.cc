// Algorithms against each other on the fake backend's clock: each takes what it is made to take.
#include "bench/race.h"

#include "backends/fake/fake_backend.h"
#include "comm/comm_decorator.h"
#include "support/ranks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace linerate {
namespace {

using testing::ElementsAre;
using testing::Field;

constexpr std::size_t kRaceBytes = 20'000;
constexpr double kRaceCallUs = 12;  // of 2 ranks: two messages of 5 us and 10000 B at 10 GB/s

// Algorithms that make one call as several.
class Algorithms final : public Inspector {
 public:
  std::string transport() const override { return {}; }
  std::vector<std::string_view> algorithms(OpKind) const override {
    return {"thrice", "once", "large only", "twice"};
  }
  void use_algorithm(std::string_view name) override { chosen_ = name; }
  CallFacts last_call() const override { return {.algorithm = last_}; }

  // How many calls the algorithm makes that takes a call of `bytes`.
  int calls_for(std::size_t bytes) {
    const bool defined = !chosen_.empty() && (chosen_ != "large only" || bytes > kRaceBytes);
    last_ = defined ? chosen_ : "twice";
    return last_ == "thrice" ? 3 : last_ == "twice" ? 2 : 1;
  }

 private:
  std::string chosen_, last_;
};

class WithAlgorithms final : public CommDecorator {
 public:
  using CommDecorator::CommDecorator;
  Inspector& inspector() override { return algorithms_; }

 private:
  void issue(std::span<const Op> ops, Stream& stream) override {
    for (int left = algorithms_.calls_for(bytes_of_count(ops.front())); left > 0; --left)
      CommDecorator::issue(ops, stream);
  }
  std::unique_ptr<Communicator> decorate(std::unique_ptr<Communicator> part) const override {
    return part;
  }

  Algorithms algorithms_;
};

RaceResult race(const Race::Limits& limits = {.rounds = 4}) {
  RaceResult result;
  const auto backend = make_fake_backend({});
  run_ranks(*backend, 2, [&](RankOfBackend& rank) {
    WithAlgorithms comm(rank.comm);
    Race race(rank.bootstrap, comm, rank.device.clock(), kRaceBytes);
    const auto mine = race.run(OpKind::all_reduce, kRaceBytes, limits);
    if (rank.number() == 0) result = mine;
  });
  return result;
}

TEST(Race, TimesEachAlgorithmThatIsDefinedForTheSize) {
  const auto result = race();

  ASSERT_EQ(result.candidates.size(), 3U);
  EXPECT_EQ(result.find("once")->us.median, kRaceCallUs);
  EXPECT_EQ(result.find("twice")->us.median, 2 * kRaceCallUs);
  EXPECT_EQ(result.find("thrice")->us.median, 3 * kRaceCallUs);
  EXPECT_EQ(result.find("large only"), nullptr);
}

TEST(Race, KeepsTheBackendsOrder) {
  EXPECT_THAT(race().candidates, ElementsAre(Field(&Candidate::algorithm, "thrice"),
                                             Field(&Candidate::algorithm, "once"),
                                             Field(&Candidate::algorithm, "twice")));
}

TEST(Race, ComparesTheBackendsOwnChoiceWithTheBest) {
  const auto result = race();

  EXPECT_EQ(result.chosen, "twice");
  EXPECT_EQ(result.best().algorithm, "once");
  EXPECT_EQ(result.chosen_over_best(), 2);
}

TEST(Race, RunsAWindowOfEachAlgorithmInEachRound) {
  EXPECT_EQ(race({.rounds = 4}).best().us.n, 4U);
}

TEST(Race, RunsFewerRoundsWhereACallFillsAWindow) {
  const Race::Limits limits{.rounds = 4, .rounds_of_long = 2, .window_us = kRaceCallUs};

  EXPECT_EQ(race(limits).best().us.n, 2U);
}

TEST(Race, CountsTheSlowestRanksTime) {
  class TwiceAsFast final : public Clock {
   public:
    explicit TwiceAsFast(const Clock& clock) : clock_(clock) {}
    std::int64_t now_ns() const override { return 2 * clock_.now_ns(); }

   private:
    const Clock& clock_;
  };
  const auto backend = make_fake_backend({});
  run_ranks(*backend, 2, [&](RankOfBackend& rank) {
    const TwiceAsFast fast(rank.device.clock());
    WithAlgorithms comm(rank.comm);
    Race race(rank.bootstrap, comm,
              rank.number() == 1 ? static_cast<const Clock&>(fast) : rank.device.clock(),
              kRaceBytes);

    const auto result = race.run(OpKind::all_reduce, kRaceBytes, {.rounds = 4});

    if (rank.number() == 0) {
      EXPECT_NEAR(result.find("once")->us.median, 2 * kRaceCallUs, 1e-9);
    }
  });
}

TEST(Race, RunsWhereEachRankGetsAnElementAtLeast) {
  EXPECT_TRUE(Race::runs(OpKind::all_gather, 8, 2));
  EXPECT_FALSE(Race::runs(OpKind::all_gather, 4, 2));
  EXPECT_TRUE(Race::runs(OpKind::all_reduce, 4, 2));
}

TEST(RaceResult, SaysThatAnUntimedChoiceIsAsGoodAsTheBest) {
  EXPECT_EQ((RaceResult{.chosen = "other"}).chosen_over_best(), 1);
}

}  // namespace
}  // namespace linerate
