// Which of a case's calls is verified: the last of the window that was timed.
#include "bench/case_runner.h"
#include "support/sessions.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kBytes = 1024;
constexpr std::uint64_t kIters = 5;
constexpr std::uint64_t kLastTimed = 1 + kIters;  // after one call to warm up

struct Trial {
  BenchConfig config = bench_config({.iters = kIters});
  Placement placement = Placement::out_of_place;
  BufferSizes sizes{.bytes = kBytes, .spare_bytes = kBytes};
};

Measurement measure(const Trial& run, const FakeOptions& fake) {
  return measure_case({.fake = fake, .config = run.config},
                      {case_of("all_reduce", kBytes), run.placement, run.sizes});
}

bool finds_wrong_data(const Measurement& m) {
  return std::ranges::any_of(m.checks, [](const RankCheck& check) { return check.wrong > 0; });
}

// The numbers of rank 1's calls in which one wrong bit is found.
std::vector<std::uint64_t> verified_calls(const Trial& run, std::uint64_t ncalls) {
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
  const Trial run{.sizes = {.bytes = 8 * kBytes, .spare_bytes = 8 * kBytes}};

  EXPECT_EQ(verified_calls(run, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsTheLastTimedOneWithFixedBuffers) {
  const Trial run{.config = bench_config({.iters = kIters, .sliding = Sliding::fixed})};

  EXPECT_EQ(verified_calls(run, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsTheLastTimedOneOfUnalignedBuffers) {
  const Trial run{.config = bench_config({.iters = kIters}, {.unalign = 1})};

  EXPECT_EQ(verified_calls(run, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsTheLastOfTheLastWindowWithAStoppingRule) {
  Trial run{.config = bench_config({.iters = kIters})};
  run.config.stop = {.max_s = 150e-6};  // a window and its samples with their barriers take 107 us
  const auto m = measure(run, {});
  ASSERT_EQ(m.iters, 2 * kIters);

  const auto second = kLastTimed + 2 * kIters;
  EXPECT_EQ(verified_calls(run, second + kIters), Calls{second});
}

TEST(VerifiedCall, OfEachRoundIsTheLastOfAWindow) {
  Trial run{.config = bench_config({.iters = kIters}, {}, {.check = 3})};

  const auto second = kLastTimed + 2 * kIters;  // after the samples
  EXPECT_EQ(verified_calls(run, second + 3 * kIters), (Calls{kLastTimed, second, second + kIters}));
  EXPECT_EQ(measure(run, {}).iters, kIters);
}

TEST(VerifiedCall, IsTheLastTimedOneWithoutASpareBufferWhereTwoSlotsFit) {
  const Trial run{.sizes = {.bytes = 2 * kBytes}};

  EXPECT_EQ(verified_calls(run, 2 * kLastTimed), Calls{kLastTimed});
}

TEST(VerifiedCall, IsAnExtraOneWhereMemoryHoldsOneSlotOnly) {
  const auto extra = kLastTimed + kIters + 1;

  EXPECT_EQ(verified_calls({.sizes = {.bytes = kBytes}}, extra), Calls{extra});
}

// Windows in place change their own input: each needs it filled anew.
TEST(VerifiedCall, IsRightInRightRunsOfEveryKind) {
  const auto stops = bench_config({.iters = kIters, .stop = {.max_s = 150e-6}});
  const auto rounds = bench_config({.iters = kIters}, {}, {.check = 3});
  const auto fixed = bench_config({.iters = kIters, .sliding = Sliding::fixed});
  for (const auto placement : {Placement::out_of_place, Placement::in_place})
    for (const auto& config : {stops, rounds, fixed})
      for (const BufferSizes sizes :
           {BufferSizes{kBytes, kBytes}, BufferSizes{4 * kBytes, 0}, BufferSizes{kBytes, 0}})
        EXPECT_FALSE(finds_wrong_data(measure({config, placement, sizes}, {})))
            << name_of(placement) << ' ' << config.check << ' ' << sizes.bytes;
}

TEST(VerifiedCall, ShowsThatAllCallsAreWrong) {
  const auto m = measure({}, {.flips = {{.rank = 1}}});

  EXPECT_TRUE(finds_wrong_data(m));
}

}  // namespace
}  // namespace linerate
