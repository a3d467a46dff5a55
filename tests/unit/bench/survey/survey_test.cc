// What a survey measures, and what follows from its numbers: of machines that are made up.
#include "bench/survey/survey.h"

#include "support/sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate {
namespace {

using testing::ElementsAre;

// Two packages with a memory node and an L3 cache each, two cores in each, two threads in a core,
// numbered as Linux does: first one thread of every core.
std::vector<HardwareThread> two_packages() {
  std::vector<HardwareThread> threads;
  for (int i = 0; i < 8; ++i) {
    const int core = i % 4, package = core / 2;
    threads.push_back(
        {.os_index = i, .core = core, .l3 = package, .numa_node = package, .package = package});
  }
  return threads;
}

std::vector<int> indices(const std::vector<HardwareThread>& threads) {
  std::vector<int> numbers;
  for (const auto& thread : threads) numbers.push_back(thread.os_index);
  return numbers;
}

TEST(HardwareThreads, OfOneMemoryNodeComeTogetherAndSecondOnesLast) {
  auto threads = two_packages();
  std::swap(threads[0], threads[7]);

  EXPECT_THAT(indices(cores_first(threads)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));

  threads = two_packages();
  threads[1].numa_node = 1;
  EXPECT_THAT(indices(cores_first(threads)), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));

  threads[2].numa_node = 0;  // core 2 is nearer to core 0 than core 1 is
  EXPECT_THAT(indices(cores_first(threads)), ElementsAre(0, 2, 1, 3, 4, 5, 6, 7));
}

TEST(Surveys, MeasureACoreANodeAllCoresAndAllThreads) {
  EXPECT_THAT(thread_counts(two_packages()), ElementsAre(1, 2, 4, 8));

  auto one_node = two_packages();
  for (auto& thread : one_node) thread.numa_node = 0;
  one_node.resize(3);
  EXPECT_THAT(thread_counts(one_node), ElementsAre(1, 2, 3));
  one_node.resize(1);
  EXPECT_THAT(thread_counts(one_node), ElementsAre(1));
}

TEST(Surveys, SendALineOverEachKindOfDistance) {
  const auto pairs = line_pairs(cores_first(two_packages()));

  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].between, "one core");
  EXPECT_EQ(pairs[0].second, 4);
  EXPECT_EQ(pairs[1].between, "one L3 cache");
  EXPECT_EQ(pairs[1].second, 1);
  EXPECT_EQ(pairs[2].between, "two packages");
  EXPECT_EQ(pairs[2].second, 2);
}

TEST(Surveys, UseTwiceTheCachesOrWhatIsFree) {
  const auto bytes = [](std::size_t l3_bytes, std::size_t free_bytes) {
    return survey_plan(two_packages(), l3_bytes, free_bytes).largest_bytes;
  };
  constexpr std::size_t kTotal = std::size_t{1} << 40;

  EXPECT_EQ(bytes(480 * kMiB, kTotal), 960 * kMiB);
  EXPECT_EQ(bytes(0, kTotal), 256 * kMiB);
  EXPECT_EQ(bytes(16384 * kMiB, kTotal), 2048 * kMiB);
  EXPECT_EQ(bytes(480 * kMiB, 800 * kMiB), 100 * kMiB);
  EXPECT_EQ(bytes(480 * kMiB, 0), 8 * 16 * 1024);
}

// One thread alone goes over all memory of its node, so that no cache holds it.
TEST(PinnedTeams, ShareOutTheMemoryOfTheNodesWhereTheyWork) {
  const auto threads = cores_first(two_packages());

  EXPECT_THAT(shared_out(threads, 1), ElementsAre(ElementsAre(0, 1, 4, 5)));
  EXPECT_THAT(shared_out(threads, 3),
              ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5), ElementsAre(2, 3, 6, 7)));
}

Survey by_size(std::initializer_list<double> copies_gbps) {
  Survey survey;
  std::size_t bytes = kMiB;
  for (const double gbps : copies_gbps) {
    survey.by_size.push_back({.bytes = bytes, .of = {.read_gbps = gbps, .copy_gbps = gbps}});
    bytes *= 2;
  }
  return survey;
}

TEST(CacheEnds, AreWhereBandwidthStopsFalling) {
  EXPECT_EQ(cache_end(by_size({100, 60, 11, 10, 10})), 4 * kMiB);
  EXPECT_EQ(cache_end(by_size({10, 100, 10, 10})), 4 * kMiB);  // one slow size changes nothing
}

TEST(CacheEnds, AreUnknownWhereAllMayBeCached) {
  EXPECT_EQ(cache_end(by_size({100, 60, 40})), 0U);
  EXPECT_EQ(cache_end(Survey{}), 0U);
}

TEST(CacheEnds, CountReadsToo) {
  auto survey = by_size({10, 10, 10});
  survey.by_size[0].of.read_gbps = 20;

  EXPECT_EQ(cache_end(survey), 2 * kMiB);
}

}  // namespace
}  // namespace linerate
