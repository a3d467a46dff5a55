// At which sizes the memory is asked, in which order, and what is left out for want of time.
#include "bench/limits/probe_plan.h"

#include "support/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr std::size_t kMuch = std::size_t{1} << 40;
constexpr double kAnyTime = 1e12;

using Sizes = std::vector<std::size_t>;

Sizes sizes(std::vector<double> footprints, const ProbeBounds& bounds = {.buffer_bytes = kMuch}) {
  return probe_sizes(footprints, bounds);
}

TEST(ProbeSizes, AreTheFootprintsWithoutThoseCloseToAnother) {
  EXPECT_THAT(sizes({100.0 * kKiB}), testing::ElementsAre(100 * kKiB));
  EXPECT_THAT(sizes({5.0 * kMiB, 2.0 * kMiB, 2.0 * kMiB}),
              testing::ElementsAre(2 * kMiB, 5 * kMiB));
  EXPECT_THAT(sizes({10.0 * kMiB, 12.0 * kMiB, 20.0 * kMiB, 40.0 * kMiB, 50.0 * kMiB}),
              testing::ElementsAre(10 * kMiB, 20 * kMiB, 40 * kMiB, 50 * kMiB));
  EXPECT_THAT(sizes({160.0 * kMiB, 256.0 * kMiB, 320.0 * kMiB, 512.0 * kMiB}),
              testing::ElementsAre(160 * kMiB, 256 * kMiB, 512 * kMiB));
  EXPECT_THAT(sizes({10.0 * kMiB, 15.0 * kMiB}), testing::ElementsAre(10 * kMiB, 15 * kMiB));
}

TEST(ProbeSizes, AreNotMoreThanTheBuffersHold) {
  EXPECT_THAT(sizes({8.0 * kMiB, 1e12}, {.buffer_bytes = 50 * kMiB}),
              testing::ElementsAre(8 * kMiB, 50 * kMiB));
  EXPECT_THAT(sizes({8}, {.buffer_bytes = 8}), testing::ElementsAre(64 * kKiB));
}

TEST(ProbeSizes, EndWhereCachesDoNotMatter) {
  EXPECT_THAT(sizes({3.0 * kMiB, 1e12}, {.buffer_bytes = kMuch, .cache_bytes = 8 * kMiB}),
              testing::ElementsAre(3 * kMiB, 32 * kMiB));
}

TEST(ProbeSizes, OfNothingAreNone) { EXPECT_THAT(sizes({}), testing::IsEmpty()); }

MemoryPoint point(std::size_t bytes, double gbps) {
  return {.bytes = bytes,
          .read_gbps = gbps,
          .write_gbps = gbps,
          .copy_gbps = gbps,
          .update_gbps = gbps};
}

// A machine of which 16 MiB are in caches: 100 GB/s there, 10 beyond; each size takes `took_us`.
Sizes order(ProbePlan& plan, double took_us) {
  Sizes asked;
  while (const auto size = plan.next()) {
    asked.push_back(*size);
    plan.add(point(*size, *size <= 16 * kMiB ? 100 : 10), took_us);
  }
  return asked;
}

const Sizes kSizes{kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB, 256 * kMiB, 512 * kMiB};

TEST(ProbePlans, BeginWithTheLargestAndGrowUntilAllIsAlike) {
  ProbePlan plan(kSizes, {.budget_us = kAnyTime});

  EXPECT_THAT(order(plan, 1e3),
              testing::ElementsAre(512 * kMiB, kMiB, 4 * kMiB, 16 * kMiB, 64 * kMiB));
  EXPECT_THAT(plan.unprobed(), testing::IsEmpty());
}

TEST(ProbePlans, AskForEverySizeThatWasAskedForBefore) {
  ProbePlan plan(kSizes, {.budget_us = kAnyTime, .stops_when_alike = false});

  EXPECT_EQ(order(plan, 1e3).size(), kSizes.size());
}

TEST(ProbePlans, TellWhatTheTimeDoesNotSufficeFor) {
  ProbePlan plan(kSizes, {.budget_us = 90e3});

  // 20 ms each, and 64 MiB at 10 GB/s are 6.7 ms more: the fourth of the small ones is too much.
  EXPECT_THAT(order(plan, 20e3), testing::ElementsAre(512 * kMiB, kMiB, 4 * kMiB, 16 * kMiB));
  EXPECT_THAT(plan.unprobed(), testing::ElementsAre(64 * kMiB, 256 * kMiB));
  EXPECT_EQ(plan.curve().points().size(), 4U);
}

// The time to go through it once counts as well.
TEST(ProbePlans, LeaveOutWhatIsTooLargeToTouch) {
  ProbePlan plan(Sizes{256 * kMiB, 512 * kMiB}, {.budget_us = 40e3});

  EXPECT_THAT(order(plan, 10e3), testing::ElementsAre(512 * kMiB));
  EXPECT_THAT(plan.unprobed(), testing::ElementsAre(256 * kMiB));
}

TEST(ProbePlans, MeasureTheLargestWhateverItTakes) {
  ProbePlan plan(kSizes, {.budget_us = 0});

  EXPECT_THAT(order(plan, 1e6), testing::ElementsAre(512 * kMiB));
}

}  // namespace
}  // namespace linerate
