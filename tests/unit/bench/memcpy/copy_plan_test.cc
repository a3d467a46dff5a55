// Which streams run together, for which cell, and what cannot be measured.
#include "bench/memcpy/copy_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr auto kCe = CopyEngine::ce;

CopyPlan plan(std::string_view name, std::vector<int> gpus, std::pair<int, int> apart = {-2, -2}) {
  const auto tests = find_copy_tests(name, !name.starts_with("host_copy"));
  EXPECT_TRUE(tests.ok());
  return plan_of(
      *tests->front(),
      {.gpus = std::move(gpus),
       .reach = [=](int a,
                    int b) { return std::minmax(a, b) != std::minmax(apart.first, apart.second); },
       .threads = 3});
}

TEST(CopyPlan, MeasuresEachGpuWithTheHostAlone) {
  const auto down = plan("h2d_ce", {4, 6});

  ASSERT_EQ(down.measurements.size(), 2u);
  EXPECT_THAT(down.rows, ElementsAre("host"));
  EXPECT_THAT(down.columns, ElementsAre("4", "6"));
  EXPECT_THAT(down.measurements[1].streams, ElementsAre(CopyStream{kHostEnd, 6, 6, kCe}));
  EXPECT_THAT(down.measurements[1].cell_of, ElementsAre(CopyCell{0, 1}));
}

TEST(CopyPlan, RunsBothDirectionsAtOnceInOneCell) {
  const auto both = plan("host_bidir_ce", {0});

  ASSERT_EQ(both.measurements.size(), 1u);
  EXPECT_THAT(both.measurements[0].streams,
              ElementsAre(CopyStream{kHostEnd, 0, 0, kCe}, CopyStream{0, kHostEnd, 0, kCe}));
  EXPECT_THAT(both.measurements[0].cell_of, ElementsAre(CopyCell{0, 0}, CopyCell{0, 0}));
}

TEST(CopyPlan, MeasuresEveryOrderedPairOneWay) {
  const auto pairs = plan("d2d_read_ce", {0, 1, 2});

  EXPECT_EQ(pairs.measurements.size(), 6u);
  EXPECT_THAT(pairs.measurements[0].streams, ElementsAre(CopyStream{0, 1, 1, kCe}));
  EXPECT_FALSE(pairs.measurements[0].symmetric);
}

TEST(CopyPlan, LetsTheSourceWriteAndTheTargetRead) {
  EXPECT_EQ(plan("d2d_read_ce", {0, 1}).measurements[0].streams[0].by, 1);
  EXPECT_EQ(plan("d2d_write_ce", {0, 1}).measurements[0].streams[0].by, 0);
}

TEST(CopyPlan, MeasuresBothWaysOnceForAPair) {
  const auto pairs = plan("d2d_bidir_write_ce", {0, 1, 2});

  ASSERT_EQ(pairs.measurements.size(), 3u);
  EXPECT_TRUE(pairs.measurements[0].symmetric);
  EXPECT_THAT(pairs.measurements[0].streams,
              ElementsAre(CopyStream{0, 1, 0, kCe}, CopyStream{1, 0, 1, kCe}));
}

TEST(CopyPlan, RunsAllGpusAtOnceEachInItsCell) {
  const auto all = plan("all_to_host_ce", {0, 1});

  ASSERT_EQ(all.measurements.size(), 1u);
  EXPECT_THAT(all.measurements[0].streams,
              ElementsAre(CopyStream{0, kHostEnd, 0, kCe}, CopyStream{1, kHostEnd, 1, kCe}));
  EXPECT_THAT(all.measurements[0].cell_of, ElementsAre(CopyCell{0, 0}, CopyCell{0, 1}));
}

TEST(CopyPlan, GathersAllOthersIntoOneCell) {
  const auto into = plan("into_one_read_ce", {0, 1, 2});
  const auto from = plan("from_one_read_ce", {0, 1, 2});

  ASSERT_EQ(into.measurements.size(), 3u);
  EXPECT_THAT(into.measurements[1].streams,
              ElementsAre(CopyStream{0, 1, 1, kCe}, CopyStream{2, 1, 1, kCe}));
  EXPECT_THAT(from.measurements[1].streams,
              ElementsAre(CopyStream{1, 0, 0, kCe}, CopyStream{1, 2, 2, kCe}));
}

TEST(CopyPlan, StartsAThreadForEachCore) {
  EXPECT_EQ(plan("host_copy", {}).measurements[0].streams.size(), 1u);
  EXPECT_EQ(plan("host_copy_all", {}).measurements[0].streams.size(), 3u);
}

TEST(CopyPlan, LeavesOutPairsWithoutAccessAndSaysSoOnce) {
  const auto pairs = plan("d2d_write_ce", {0, 1, 2}, {1, 2});

  EXPECT_EQ(pairs.measurements.size(), 4u);
  ASSERT_EQ(pairs.remarks.size(), 1u);
  EXPECT_THAT(pairs.remarks[0], HasSubstr("GPUs 1-2 cannot access each other's memory"));
}

TEST(CopyPlan, SaysThatAPairNeedsTwo) {
  const auto pairs = plan("d2d_write_ce", {0});

  EXPECT_THAT(pairs.measurements, IsEmpty());
  EXPECT_THAT(pairs.remarks, ElementsAre(HasSubstr("needs two GPUs")));
}

using ::testing::HasSubstr;

CopyPlan plan_for(std::string_view name, std::vector<int> gpus) {
  const auto tests = find_copy_tests(name, true);
  return plan_of(*tests->front(),
                 {.gpus = std::move(gpus), .reach = [](int, int) { return true; }});
}

TEST(FittingBytes, IsWhatTheFullestEndHolds) {
  const std::vector plans{plan_for("h2d_ce", {0, 1}), plan_for("into_one_read_ce", {0, 1, 2})};
  const auto free_bytes = [](int end) { return std::size_t{end == 1 ? 1000u : 100'000u}; };

  const auto fit = fitting_bytes(plans, 4096, free_bytes);
  EXPECT_EQ(fit.bytes, 448u);  // 900 / 2, in grains
  EXPECT_EQ(fit.bound_by, 1);
  EXPECT_EQ(fit.buffers, 2u);
  EXPECT_EQ(fitting_bytes(plans, 160, free_bytes).bytes, 160u);
  EXPECT_EQ(fitting_bytes(plans, 4096, [](int) { return std::size_t{10}; }).bytes, 0u);
}

TEST(FittingBytes, TakesNoMoreThanHalfOfTheHost) {
  const std::vector plans{plan_for("all_host_bidir_ce", {0, 1})};
  const auto free_bytes = [](int end) { return std::size_t{end == kHostEnd ? 8192u : 100'000u}; };

  const auto fit = fitting_bytes(plans, 4096, free_bytes);

  EXPECT_EQ(fit.bytes, 1024u);
  EXPECT_EQ(fit.bound_by, kHostEnd);
  EXPECT_EQ(fit.buffers, 4u);
}

TEST(FittingBytes, AreExplained) {
  EXPECT_EQ(fit_text({.bytes = 1024, .bound_by = kHostEnd, .buffers = 4, .free_bytes = 8192}, 4096),
            "-b 4 KiB does not fit: the host has 8 KiB free, and 50 % of it holds 4 buffers of "
            "1024 bytes");
  EXPECT_THAT(fit_text({.bytes = 16, .bound_by = 3, .buffers = 2, .free_bytes = 40}, 32),
              HasSubstr("GPU 3 has 40 B free, and 90 % of it holds 2 buffers of 16 bytes"));
}

}  // namespace

}  // namespace linerate
