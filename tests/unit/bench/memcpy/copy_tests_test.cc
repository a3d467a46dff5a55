// The table of memcpy_perf's tests: names, nvbandwidth's names, and what is refused.
#include "bench/memcpy/copy_tests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace linerate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> names(std::string_view list, bool gpus = true) {
  const auto tests = find_copy_tests(list, gpus);
  if (!tests) return {tests.sentence()};
  std::vector<std::string> found;
  for (const auto* test : *tests) found.push_back(test->name);
  return found;
}

TEST(CopyTests, GivesEveryNameToOneTestOnly) {
  std::set<std::string> seen;

  for (const auto& test : all_copy_tests()) {
    EXPECT_TRUE(seen.insert(test.name).second) << test.name;
    for (const auto& alias : test.aliases) EXPECT_TRUE(seen.insert(alias).second) << alias;
  }
}

TEST(CopyTests, FindsATestByItsNameAndByNvbandwidths) {
  EXPECT_THAT(names("h2d_ce"), ElementsAre("h2d_ce"));
  EXPECT_THAT(names("device_to_device_memcpy_read_ce"), ElementsAre("d2d_read_ce"));
  EXPECT_THAT(names("device_to_host_bidirectional_memcpy_sm"), ElementsAre("host_bidir_sm"));
  EXPECT_THAT(names("device_local_copy"), ElementsAre("local_ce"));
}

// Its all_to_one_read: all read from one.
TEST(CopyTests, TakesNvbandwidthsWordsForWhoActsNotForTheWayOfTheData) {
  EXPECT_THAT(names("all_to_one_write_ce"), ElementsAre("into_one_write_ce"));
  EXPECT_THAT(names("all_to_one_read_ce"), ElementsAre("from_one_read_ce"));
  EXPECT_THAT(names("one_to_all_write_sm"), ElementsAre("from_one_write_sm"));
  EXPECT_THAT(names("one_to_all_read_sm"), ElementsAre("into_one_read_sm"));
}

TEST(CopyTests, KnowsEveryTestOfNvbandwidthThatCopiesBetweenGpusAndHostOfOneNode) {
  for (const std::string stem :
       {"host_to_device_memcpy", "device_to_host_memcpy", "host_to_device_bidirectional_memcpy",
        "device_to_host_bidirectional_memcpy", "device_to_device_memcpy_read",
        "device_to_device_memcpy_write", "device_to_device_bidirectional_memcpy_read",
        "device_to_device_bidirectional_memcpy_write", "all_to_host_memcpy",
        "all_to_host_bidirectional_memcpy", "host_to_all_memcpy",
        "host_to_all_bidirectional_memcpy", "all_to_one_write", "all_to_one_read",
        "one_to_all_write", "one_to_all_read"})
    for (const auto* engine : {"_ce", "_sm"})
      EXPECT_TRUE(find_copy_tests(stem + engine, true)) << stem << engine;
}

TEST(CopyTests, TakesTheBeginningOfNvbandwidthsNamesWhereItIsNoneOfOurs) {
  EXPECT_THAT(names("host_to_device_memcpy"), ElementsAre("h2d_ce", "h2d_sm"));
  EXPECT_THAT(names("device_to_device_memcpy"),
              ElementsAre("d2d_read_ce", "d2d_read_sm", "d2d_write_ce", "d2d_write_sm"));
  EXPECT_THAT(names("host_to_all"), ElementsAre("host_to_all_ce", "host_to_all_sm"));
}

TEST(CopyTests, SaysWhyATestOfNvbandwidthIsNotHere) {
  for (const std::string word :
       {"multinode_device_to_device_memcpy_read_ce", "multinode_bisect_write_ce"})
    EXPECT_THAT(names(word), ElementsAre(HasSubstr("copies between hosts"))) << word;
  for (const std::string word : {"host_device_latency_sm", "device_to_device_latency_sm"})
    EXPECT_THAT(names(word), ElementsAre(HasSubstr("measures the latency"))) << word;
}

TEST(CopyTests, TakesTheBeginningOfNamesAndListsInTheTablesOrder) {
  EXPECT_THAT(names("d2h,h2d"), ElementsAre("h2d_ce", "h2d_sm", "d2h_ce", "d2h_sm"));
  EXPECT_THAT(names("d2d_read,d2d_read_ce"), ElementsAre("d2d_read_ce", "d2d_read_sm"));
  EXPECT_THAT(names("host_copy", false), ElementsAre("host_copy"));
}

TEST(CopyTests, TakesAllThatTheBackendCanRun) {
  EXPECT_THAT(names("all", false), ElementsAre("host_copy", "host_copy_all"));
  EXPECT_EQ(names("all").size(), all_copy_tests().size() - 2);
  EXPECT_EQ(names("host").size(), 4u);  // host_bidir and host_to_all
}

TEST(CopyTests, RefusesUnknownNamesWithTheNearestOne) {
  EXPECT_THAT(names("h2d_cee").at(0), HasSubstr("Did you mean 'h2d_ce'?"));
  EXPECT_THAT(names("host_to_device_memcpy_cx").at(0),
              HasSubstr("Did you mean 'host_to_device_memcpy_ce'?"));
  for (const auto* list : {"", "h2d,", "h2", "_ce", "h2d_"})
    EXPECT_THAT(names(list).at(0), HasSubstr("Unknown test")) << list;
}

TEST(CopyTests, RefusesWhatTheBackendCannotRun) {
  EXPECT_THAT(names("h2d_ce", false).at(0), HasSubstr("'h2d_ce' needs a GPU"));
  EXPECT_THAT(names("host_copy,h2d", true).at(0), HasSubstr("give --backend host"));
}

}  // namespace
}  // namespace linerate
