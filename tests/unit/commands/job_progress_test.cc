// What a run is planned to consist of, before any of it is measured.
#include "commands/job_progress.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr double kMiB = 1 << 20;

RunConfig all_reduce_config() {
  RunConfig config;
  config.collective = find_collective("all_reduce");
  config.min_bytes = 8;
  config.max_bytes = 1 << 20;
  config.step_factor = 2;
  return config;
}

// Knows nothing of sizes below 1 KiB, and of others that busbw is 2 GB/s.
class TwoGbps final : public PerformanceModel {
 public:
  std::optional<Expectation> bound(const ModeledCall& call) const override {
    if (call.algbw_bytes() < 1024) return std::nullopt;
    return Expectation{.busbw_gbps = 2};
  }
};

Block planned(const RunConfig& config, const PerformanceModel* model = nullptr) {
  const auto cases = plan_cases(config, 2);
  return block_of({.config = config, .nranks = 2, .cases = cases, .model = model}, 6);
}

TEST(BlockOf, HasAPieceForEachPlacementOfEachCase) {
  const auto block = planned(all_reduce_config());

  ASSERT_EQ(block.pieces.size(), 18u * 2);
  EXPECT_EQ(block.row, 2u);
  EXPECT_EQ(block.pieces[0].kind, 6);
  EXPECT_EQ(block.pieces[1].kind, 7);
  EXPECT_EQ(block.pieces.back().bytes, kMiB);
}

TEST(BlockOf, CountsCallsOfWarmUpWindowsSamplesAndFurtherChecks) {
  auto config = all_reduce_config();
  config.iters = 10;
  config.agg_iters = 3;
  config.warmup_iters = 2;
  config.check = 3;

  EXPECT_EQ(planned(config).pieces[0].calls, 2 + 3 * 30 + 10);
}

TEST(BlockOf, CountsDataNoFurtherThanTheBuffersGo) {
  const auto block = planned(all_reduce_config());

  EXPECT_EQ(block.pieces[0].data_bytes, 2 * 20 * 8 + 2 * 8);
  EXPECT_EQ(block.pieces.back().data_bytes, 2 * kMiB + 2 * kMiB);
}

TEST(BlockOf, TakesForSizesThatTheModelDoesNotKnowTheNextLargerOne) {
  const TwoGbps model;

  const auto block = planned(all_reduce_config(), &model);

  EXPECT_NEAR(block.pieces.back().call_s, kMiB / 2e9, 1e-9);
  EXPECT_NEAR(block.pieces.front().call_s, 8 / 2e9, 1e-12);
}

TEST(BlockOf, TakesLongerInPlaceForACollectiveThatHasNoInPlaceForm) {
  const TwoGbps model;
  auto config = all_reduce_config();
  config.collective = find_collective("sendrecv");

  const auto pieces = planned(config, &model).pieces;

  EXPECT_NEAR(pieces[pieces.size() - 2].call_s, kMiB / 2e9, 1e-9);
  EXPECT_NEAR(pieces.back().call_s, 2.5 * kMiB / 2e9, 1e-9);
}

TEST(BlockOf, GivesCasesThatStopByARuleTheTimeOfTheOnesBefore) {
  auto config = all_reduce_config();
  config.stop.max_s = 5;

  EXPECT_EQ(planned(config).pieces.back().bytes, 0);
}

TEST(BlockOf, RepeatsAsOftenAsTheSweepIs) {
  auto config = all_reduce_config();
  config.run_cycles = 7;

  EXPECT_EQ(planned(config).cycles, 7u);
}

TEST(BlockOf, HasFourTestsForEachPairOfRanks) {
  RunConfig config;  // p2p_perf
  config.min_bytes = 8;
  config.max_bytes = 1 << 20;

  const auto block = block_of({.config = config, .nranks = 4}, 0);

  ASSERT_EQ(block.pieces.size(), 6u * 4);
  EXPECT_EQ(block.row, 4u);
  EXPECT_EQ(block.pieces[3].bytes, 2 * kMiB);
}

TEST(BlockOf, WaitsForAllPairsThatAreTestedAtOnce) {
  RunConfig config;
  config.at_once = true;

  const auto block = block_of({.config = config, .nranks = 4}, 0);

  ASSERT_EQ(block.pieces.size(), 3u * 4);
  EXPECT_EQ(block.pieces[0].results, 2);
}

}  // namespace
}  // namespace linerate
