// Which of a case's calls is verified: the last of the window that was timed.
#include "bench/case_runner.h"
#include "launch/turns.h"
#include "support/sessions.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kVerifiedBytes = 1024;
constexpr std::uint64_t kVerifiedIters = 5;
constexpr std::uint64_t kLastTimed = 1 + kVerifiedIters;  // after one call to warm up
constexpr std::uint64_t kSampled = 1 + kVerifiedIters;    // the samples, after one call before them

struct VerifiedTrial {
  BenchConfig config = bench_config({.iters = kVerifiedIters});
  Placement placement = Placement::out_of_place;
  BufferSizes sizes{.bytes = kVerifiedBytes, .spare_bytes = kVerifiedBytes};
};

Measurement measure(const VerifiedTrial& run, const FakeOptions& fake) {
  return measure_case({.fake = fake, .config = run.config},
                      {case_of("all_reduce", kVerifiedBytes), run.placement, run.sizes});
}

bool finds_wrong_data(const Measurement& m) {
  return std::ranges::any_of(m.checks, [](const RankCheck& check) { return check.wrong > 0; });
}

// The numbers of rank 1's calls in which one wrong bit is found.
std::vector<std::uint64_t> verified_calls(const VerifiedTrial& run, std::uint64_t ncalls) {
  std::vector<std::uint64_t> found;
  for (std::uint64_t call = 1; call <= ncalls; ++call)
    if (finds_wrong_data(measure(run, {.flips = {{.rank = 1, .call = call}}})))
      found.push_back(call);
  return found;
}

using Calls = std::vector<std::uint64_t>;

TEST(VerifiedCall, IsTheLastTimedOneAtTheLargestSize) {
  EXPECT_EQ(verified_calls({}, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsTheLastTimedOneInPlace) {
  EXPECT_EQ(verified_calls({.placement = Placement::in_place}, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsTheLastTimedOneOfASmallerSize) {
  const VerifiedTrial run{
      .sizes = {.bytes = 8 * kVerifiedBytes, .spare_bytes = 8 * kVerifiedBytes}};

  EXPECT_EQ(verified_calls(run, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsTheLastTimedOneWithFixedBuffers) {
  const VerifiedTrial run{.config =
                              bench_config({.iters = kVerifiedIters, .sliding = Sliding::fixed})};

  EXPECT_EQ(verified_calls(run, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsTheLastTimedOneOfUnalignedBuffers) {
  const VerifiedTrial run{.config = bench_config({.iters = kVerifiedIters}, {.unalign = 1})};

  EXPECT_EQ(verified_calls(run, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsTheLastOfTheLastWindowWithAStoppingRule) {
  VerifiedTrial run{.config = bench_config({.iters = kVerifiedIters})};
  run.config.stop = {.max_s = 150e-6};  // a window and its samples with their barriers take 119 us
  const auto m = measure(run, {});
  ASSERT_EQ(m.iters, 2 * kVerifiedIters);

  const auto second = kLastTimed + kSampled + kVerifiedIters;
  EXPECT_EQ(verified_calls(run, second + kVerifiedIters), Calls{second});
}

TEST(VerifiedCall, OfEachRoundIsTheLastOfAWindow) {
  VerifiedTrial run{.config = bench_config({.iters = kVerifiedIters}, {}, {.check = 3})};

  const auto second = kLastTimed + kSampled + kVerifiedIters;
  EXPECT_EQ(verified_calls(run, second + 3 * kVerifiedIters),
            (Calls{kLastTimed, second, second + kVerifiedIters}));
  EXPECT_EQ(measure(run, {}).iters, kVerifiedIters);
}

// More calls go before the samples: another program's turn may have cooled the caches.
TEST(VerifiedCall, ComesAfterCallsOf50MicrosecondsWhereProgramsTakeTurns) {
  const auto is_wrong = [](std::uint64_t call) {
    TurnKeeper keeper(1, 0);
    keeper.start();
    VerifiedTrial run{.config = bench_config({.iters = kVerifiedIters}, {}, {.check = 2})};
    run.config.turns = keeper.address(0);
    return finds_wrong_data(measure(run, {.flips = {{.rank = 1, .call = call}}}));
  };

  const auto second = kLastTimed + 4 + 2 * kVerifiedIters;  // calls of 10.2 us
  EXPECT_TRUE(is_wrong(second));
  EXPECT_FALSE(is_wrong(second - 1));
  EXPECT_FALSE(is_wrong(second + 1));
}

TEST(VerifiedCall, IsTheLastTimedOneWithoutASpareBufferWhereTwoSlotsFit) {
  const VerifiedTrial run{.sizes = {.bytes = 2 * kVerifiedBytes}};

  EXPECT_EQ(verified_calls(run, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsAnExtraOneWhereMemoryHoldsOneSlotOnly) {
  const auto extra = kLastTimed + kSampled + 1;

  EXPECT_EQ(verified_calls({.sizes = {.bytes = kVerifiedBytes}}, extra), Calls{extra});
}

// Windows in place change their own input: each needs it filled anew.
TEST(VerifiedCall, IsRightInRightRunsOfEveryKind) {
  const auto stops = bench_config({.iters = kVerifiedIters, .stop = {.max_s = 150e-6}});
  const auto rounds = bench_config({.iters = kVerifiedIters}, {}, {.check = 3});
  const auto fixed = bench_config({.iters = kVerifiedIters, .sliding = Sliding::fixed});
  for (const auto placement : {Placement::out_of_place, Placement::in_place})
    for (const auto& config : {stops, rounds, fixed})
      for (const BufferSizes sizes :
           {BufferSizes{kVerifiedBytes, kVerifiedBytes}, BufferSizes{4 * kVerifiedBytes, 0},
            BufferSizes{kVerifiedBytes, 0}})
        EXPECT_FALSE(finds_wrong_data(measure({config, placement, sizes}, {})))
            << name_of(placement) << ' ' << config.check << ' ' << sizes.bytes;
}

TEST(VerifiedCall, ShowsThatAllCallsAreWrong) {
  const auto m = measure({}, {.flips = {{.rank = 1}}});

  EXPECT_TRUE(finds_wrong_data(m));
}

}  // namespace
}  // namespace linerate
