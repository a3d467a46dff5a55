// Calls beside a load: which time counts, what the fake backend's clock gives, and what is refused.
#include "bench/beside.h"

#include "base/error.h"
#include "bench/load.h"
#include "support/sessions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::size_t kBesideBytes = 20'000;
// Of 2 ranks: two messages of 5 us and 10000 B at 10 GB/s. Of 4: six messages and 5000 B.
constexpr double kCallOfTwoUs = 12, kCallOfFourUs = 33;

// Once the other has ended, a call takes 5 us again: that is not counted.
TEST(TimesOfAPhase, AreOfTheTimeInWhichBothWereUnderWay) {
  const Progress calls{.at_us = {0, 10, 20, 25, 30, 35}}, units{.at_us = {-20, 0, 20}};

  const auto times = times_of(calls, units);

  EXPECT_DOUBLE_EQ(times.call_us, 10);
  EXPECT_DOUBLE_EQ(times.unit_us, 20);
}

TEST(TimesOfAPhase, AreEvenBetweenTwoMarks) {
  const Progress calls{.at_us = {0, 20, 120}, .pieces = 4};

  // From 10 to 70: two calls of the first four, two of the others.
  EXPECT_DOUBLE_EQ(times_of(calls, {.at_us = {10, 40, 70}}).call_us, 15);
}

TEST(TimesOfAPhase, AreOfAllOfItWhereItIsAlone) {
  EXPECT_DOUBLE_EQ(times_of({.at_us = {10, 30, 130}, .pieces = 4}, {}).call_us, 15);
  EXPECT_DOUBLE_EQ(times_of({}, {.at_us = {10, 30, 130}}).unit_us, 60);
}

TEST(TimesOfAPhase, AreNoneWhereNotHalfOfOneWasDone) {
  const auto apart = times_of({.at_us = {0, 10}}, {.at_us = {20, 30}});
  const auto half = times_of({.at_us = {0, 10, 20}}, {.at_us = {0, 40}});
  const auto third = times_of({.at_us = {0, 10, 20}}, {.at_us = {0, 60}});

  EXPECT_TRUE(std::isnan(apart.call_us));
  EXPECT_TRUE(std::isnan(apart.unit_us));
  EXPECT_DOUBLE_EQ(half.unit_us, 40);
  EXPECT_DOUBLE_EQ(third.call_us, 10);
  EXPECT_TRUE(std::isnan(third.unit_us));
}

TEST(PhasesOfABlock, ComeInEveryOrder) {
  std::set<std::vector<BesidePhase>> orders;
  for (std::uint64_t block = 0; block < 60; ++block) {
    orders.insert(phases_of(7, block));
    EXPECT_EQ(phases_of(7, block), phases_of(7, block));
  }

  EXPECT_THAT(orders, SizeIs(6));
}

LoadOptions calls_of(std::string_view collective, std::size_t bytes, SplitRule split = {}) {
  return {.kind = LoadOptions::Kind::collective,
          .collective = find_collective(collective),
          .size = bytes,
          .split = split,
          .text = "calls"};
}

FakeJob beside(int nranks, const LoadOptions& load) {
  return {.nranks = nranks, .config = bench_config({.iters = 5, .beside = load})};
}

// What rank 0 holds of an all_reduce beside the load.
Measurement measured_beside(const FakeJob& job) {
  Measurement measurement;
  run_sessions(job, [&](Session& session) {
    constexpr BufferSizes kSizes{.bytes = kBesideBytes, .spare_bytes = kBesideBytes};
    session.allocate(kSizes);
    const Load load = make_load(session.config().beside, session.rank());
    CaseRunner runner(session, {.buffers = kSizes, .beside = &load});
    auto mine = runner.run(case_of("all_reduce", kBesideBytes), Placement::out_of_place);
    if (session.is_first()) measurement = std::move(mine);
  });
  return measurement;
}

// The fake's messages do not get in each other's way.
TEST(CallsBesideCalls, TakeAsLongAsAloneWhereNothingIsShared) {
  const auto m = measured_beside(beside(2, calls_of("all_reduce", 4 * kBesideBytes)));
  const double load_us = kCallOfTwoUs + 6;  // four times the bytes

  ASSERT_THAT(m.beside, SizeIs(2));
  for (const auto& blocks : m.beside) {
    ASSERT_THAT(blocks, SizeIs(BesideMeter::kBlocks));
    for (const auto& block : blocks) {
      EXPECT_NEAR(block.call_us, kCallOfTwoUs, 1e-6);
      EXPECT_NEAR(block.unit_us, load_us, 1e-6);
      EXPECT_NEAR(block.at_once.call_us, kCallOfTwoUs, 1e-6);
      EXPECT_NEAR(block.at_once.unit_us, load_us, 1e-6);
    }
  }
}

TEST(CallsBesideCalls, EndWhereTheRunIsInterrupted) {
  constexpr std::size_t kWanted = 2;
  std::vector<std::vector<BesideBlock>> blocks;
  run_sessions(beside(2, calls_of("all_gather", kBesideBytes)), [&](Session& session) {
    constexpr BufferSizes kSizes{.bytes = kBesideBytes, .spare_bytes = kBesideBytes};
    session.allocate(kSizes);
    const Load load = make_load(session.config().beside, session.rank());
    CallIssuer issuer(session,
                      case_on_thread(session, case_of("all_reduce", kBesideBytes), kSizes));
    std::size_t asked = 0;
    const BesideMeter::Plan plan{.call_us = kCallOfTwoUs,
                                 .interrupted = [&] { return ++asked > kWanted; }};
    auto found = BesideMeter(session, load).run(issuer, plan);
    if (session.is_first()) blocks = std::move(found);
  });

  EXPECT_THAT(blocks, Each(SizeIs(kWanted)));
}

TEST(CallsBesideCalls, AreAmongTheRanksOfAColour) {
  const auto all = measured_beside(beside(4, calls_of("all_reduce", kBesideBytes)));
  const auto halves =
      measured_beside(beside(4, calls_of("all_reduce", kBesideBytes, {SplitRule::Kind::mod, 2})));

  ASSERT_THAT(all.beside, Each(SizeIs(BesideMeter::kBlocks)));
  ASSERT_THAT(halves.beside, SizeIs(4));
  EXPECT_NEAR(all.beside[0][0].unit_us, kCallOfFourUs, 1e-6);
  EXPECT_NEAR(halves.beside[0][0].unit_us, kCallOfTwoUs, 1e-6);
  EXPECT_NEAR(halves.beside[0][0].call_us, kCallOfFourUs, 1e-6);
}

// Of a load on ranks that have 1 MB for it; empty: none.
std::string refusal_of(int nranks, const LoadOptions& load) {
  constexpr std::size_t kMemory = 1'000'000;
  std::string sentence;
  std::mutex mutex;
  run_sessions(beside(nranks, load), [&](Session& session) {
    try {
      (void)checked_load(load, session, kMemory);
    } catch (const Error& error) {
      const std::lock_guard lock(mutex);
      sentence = error.what();
    }
  });
  return sentence;
}

TEST(Load, IsRefusedWhereTheDeviceOrTheRanksCannot) {
  EXPECT_THAT(refusal_of(4, calls_of("all_gather", 32)),
              HasSubstr("nothing for each of 4 ranks: give more"));
  EXPECT_THAT(refusal_of(3, calls_of("hypercube", 4096)), HasSubstr("--beside calls: "));
  EXPECT_EQ(refusal_of(4, calls_of("hypercube", 4096)), "");
}

TEST(Load, IsRefusedWhereItDoesNotFit) {
  const LoadOptions fits{.kind = LoadOptions::Kind::memory, .size = 500'000, .text = "memory"};
  auto larger = fits;
  larger.size += 4;

  EXPECT_EQ(refusal_of(2, fits), "");
  EXPECT_THAT(refusal_of(2, larger), HasSubstr("Choose a smaller load"));
}

TEST(Load, TakesTwoBuffersAndAProductThree) {
  using Kind = LoadOptions::Kind;

  EXPECT_EQ(load_bytes({.kind = Kind::memory, .size = 100}), 200U);
  EXPECT_EQ(load_bytes({.kind = Kind::collective, .size = 100}), 200U);
  EXPECT_EQ(load_bytes({.kind = Kind::gemm, .size = 16}), 3 * 16 * 16 * sizeof(float));
  EXPECT_EQ(load_bytes({.kind = Kind::gemm, .size = 16, .type = DataType::bfloat16}),
            3 * 16 * 16 * 2U);
}

TEST(Products, HaveTheDevicesSizeAndTypeWhereNoneWasGiven) {
  constexpr std::size_t kMemory = 10'000'000;
  const LoadOptions given{.kind = LoadOptions::Kind::gemm, .text = "gemm"};
  run_sessions(beside(2, given), [&](Session& session) {
    const auto usual = checked_load(given, session, kMemory);
    auto odd = given;
    odd.size = 17;
    const auto rounded = checked_load(odd, session, kMemory);

    EXPECT_EQ(usual.size, 512U);
    EXPECT_EQ(usual.text, "gemm:512");
    EXPECT_EQ(usual.type, DataType::float32);
    EXPECT_EQ(rounded.size, 24U);
    EXPECT_EQ(rounded.text, "gemm:24");
  });
}

// Of each thread so many blocks: alone 10 and 100 us; at once as it says.
std::vector<std::vector<BesideBlock>> blocks_of(const std::vector<PhaseTimes>& at_once) {
  std::vector<BesideBlock> blocks;
  for (const auto& times : at_once)
    blocks.push_back({.call_us = 10, .unit_us = 100, .at_once = times});
  return {blocks, blocks};
}

TEST(BesideInfo, HasBothSlowDownsWithTheirIntervals) {
  std::vector<PhaseTimes> times;
  for (const double noise : {0.98, 0.99, 1.0, 1.0, 1.01, 1.02, 1.03, 0.97})
    times.push_back({15 * noise, 120 * noise});

  const auto info = beside_info(blocks_of(times), {0, 1}, {.beside = calls_of("all_reduce", 8)});

  ASSERT_TRUE(info);
  EXPECT_EQ(info->load, "calls");
  EXPECT_EQ(info->blocks, 8U);
  EXPECT_DOUBLE_EQ(info->call.alone_us, 10);
  EXPECT_DOUBLE_EQ(info->call.beside_us, 15);
  EXPECT_NEAR(info->call.ratio, 1.5, 0.01);
  EXPECT_LT(info->call.low.value(), info->call.ratio);
  EXPECT_GT(info->call.high.value(), info->call.ratio);
  EXPECT_NEAR(info->unit.ratio, 1.2, 0.01);
}

TEST(BesideInfo, SaysWhatProductsReach) {
  const LoadOptions load{.kind = LoadOptions::Kind::gemm, .size = 1000, .type = DataType::bfloat16};

  const auto info = beside_info(blocks_of({{15, 125}}), {0, 1}, {.beside = load});

  EXPECT_FALSE(beside_info(blocks_of({{15, 125}}), {0, 1}, {})->products);
  ASSERT_TRUE(info->products);
  EXPECT_EQ(info->products->type, "bfloat16");
  EXPECT_DOUBLE_EQ(info->products->alone_tflops, 20);   // 2e9 in 100 us
  EXPECT_DOUBLE_EQ(info->products->beside_tflops, 16);  // 2e9 in 125 us
}

TEST(BesideInfo, TakesTheAverageOfTheThreads) {
  auto blocks = blocks_of({{15, 120}});
  blocks[1][0] = {.call_us = 30, .unit_us = 100, .at_once = {45, 160}};

  const auto mean = beside_info(blocks, {0, 1}, {});
  const auto most = beside_info(blocks, {0, 1}, {.average = Average::max});
  const auto second = beside_info(blocks, {1}, {});

  EXPECT_DOUBLE_EQ(mean->call.alone_us, 20);
  EXPECT_DOUBLE_EQ(mean->unit.beside_us, 140);
  EXPECT_DOUBLE_EQ(most->call.beside_us, 45);
  EXPECT_DOUBLE_EQ(second->call.alone_us, 30);
}

TEST(BesideInfo, LeavesOutBlocksInWhichNotBothWereUnderWay) {
  const auto some = beside_info(blocks_of({{15, 120}, {NAN, NAN}, {15, 120}}), {0, 1}, {});

  EXPECT_EQ(some->blocks, 2U);
  EXPECT_FALSE(some->call.low);
  EXPECT_FALSE(beside_info(blocks_of({{NAN, NAN}}), {0, 1}, {}));
  EXPECT_FALSE(beside_info({}, {0, 1}, {}));
}

}  // namespace
}  // namespace linerate
