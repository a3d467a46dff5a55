// Which part of a call's time each way of averaging over ranks cannot do without.
#include "bench/expect/sure_share.h"

#include "collectives/traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kCount = 1'000'000;

// Ranks on nodes, whose TCP gives 1 GB/s each way.
struct Job {
  std::vector<int> nodes{};
  Average average = Average::mean;
  std::uint64_t calls = 5;
  std::vector<double> receive_gbps{};  // by node; empty: all 1
};

NetworkLimits limits_of(const Job& job) {
  NetworkLimits limits{.nodes = job.nodes, .average = job.average, .calls = job.calls};
  limits.points.resize(static_cast<std::size_t>(*std::ranges::max_element(job.nodes)) + 1,
                       {.send_gbps = 1, .receive_gbps = 1});
  for (std::size_t node = 0; node < job.receive_gbps.size(); ++node)
    limits.points[node].receive_gbps = job.receive_gbps[node];
  return limits;
}

// What takes longest among what each node sends and receives.
double longest_us(const Crossed& crossed, const NetworkLimits& limits) {
  double us = 0;
  for (std::size_t node = 0; node < limits.points.size(); ++node)
    us = std::max(
        {us, static_cast<double>(crossed.sent[node]) / 1e3,
         static_cast<double>(crossed.received[node]) / 1e3 / limits.points[node].receive_gbps});
  return us;
}

double share_of(const Collective& collective, const Sizing& sizing, const Job& job) {
  const auto limits = limits_of(job);
  const auto crossed = crossed_by(collective, sizing, 0, job.nodes);
  return sure_share({.collective = collective,
                     .crossed = crossed,
                     .limits = limits,
                     .time = {.bytes_us = longest_us(crossed, limits)}});
}

double share(std::string_view name, const Job& job) {
  return share_of(*find_collective(name),
                  {.count = kCount, .nranks = static_cast<int>(job.nodes.size())}, job);
}

double share_of_matrix(std::string_view matrix, const Job& job) {
  const int nranks = static_cast<int>(job.nodes.size());
  const auto traffic = TrafficMatrix::parse(matrix, nranks, 1).value();
  return share_of(*find_collective("all_to_all_v"),
                  {.count = 1, .nranks = nranks, .traffic = &traffic}, job);
}

TEST(SureShares, OfTheSlowestRankAreAll) {
  for (const auto name : {"all_reduce", "all_to_all", "gather", "sendrecv"})
    EXPECT_EQ(share(name, {.nodes = {0, 0, 1, 1}, .average = Average::max, .calls = 1}), 1) << name;
}

// It may be done with its last call before another one begins it, but for what it needs itself.
TEST(SureShares, OfOneRankMayLeaveTheLastCallOutWhereEachNeedsSomethingOfEachOther) {
  for (const auto average : {Average::rank0, Average::min}) {
    for (const auto name : {"all_reduce", "all_gather"})
      EXPECT_EQ(share(name, {.nodes = {0, 0, 1, 1}, .average = average}), 1) << name;
    for (const auto name : {"reduce_scatter", "all_to_all"}) {
      EXPECT_NEAR(share(name, {.nodes = {0, 0, 1, 1}, .average = average}), 4 / 5.0, 1e-6) << name;
      EXPECT_NEAR(share(name, {.nodes = {0, 0, 1, 1}, .average = average, .calls = 1}), 0.5, 1e-6)
          << name;
    }
  }
}

// Who does not wait for all may be ahead by any number of calls.
TEST(SureShares, OfOneRankAreElsewhereWhatItNeeds) {
  const auto first = [](std::string_view name, std::vector<int> nodes) {
    return share(name, {.nodes = std::move(nodes), .average = Average::rank0});
  };
  EXPECT_EQ(first("sendrecv", {0, 1, 2}), 1);
  EXPECT_EQ(first("sendrecv", {0, 0, 1, 1}), 1);  // of rank 3
  EXPECT_EQ(first("sendrecv", {0, 1, 0, 1}), 0.5);
  EXPECT_EQ(first("gather", {0, 1, 2}), 1);
  EXPECT_EQ(first("broadcast", {0, 1, 2}), 0);
}

TEST(SureShares, OfTheFastestRankAreNoneWhereItMayNeedNothing) {
  const auto fastest = [](std::string_view name, std::vector<int> nodes) {
    return share(name, {.nodes = std::move(nodes), .average = Average::min});
  };
  EXPECT_EQ(fastest("sendrecv", {0, 1, 2}), 1);
  EXPECT_EQ(fastest("sendrecv", {0, 0, 1, 1}), 0);
  EXPECT_EQ(fastest("gather", {0, 1, 2}), 0);
}

// The parts of a node's three ranks may come one after the other.
TEST(SureShares, OfTheMeanLeaveOutWhatARankNeedNotWaitForInTheLastCall) {
  const Job job{.nodes = {0, 0, 0, 1, 1, 1}};

  for (const auto name : {"all_to_all", "reduce_scatter"})
    EXPECT_NEAR(share(name, job), 4 / 5.0, 1e-6) << name;
  for (const auto name : {"all_reduce", "all_gather"}) EXPECT_EQ(share(name, job), 1) << name;
}

// The root sends to one after the other, and waits for none.
TEST(SureShares, OfScatterAreWhatTheReceiversNeed) {
  EXPECT_NEAR(share("scatter", {.nodes = {0, 1, 2}}), 2 / 3.0 / 2, 1e-6);
}

// Seven ranks of one node need what one other rank has, and that one needs all of theirs.
TEST(SureShares, OfTheMeanAreLowWhereNodesHaveDifferentNumbersOfRanks) {
  EXPECT_NEAR(share("all_gather", {.nodes = {0, 1, 1, 1, 1, 1, 1, 1}, .calls = 1}), 2 / 8.0, 1e-6);
}

TEST(SureShares, OfTheMeanAreLowWhereOneDirectionIsSlow) {
  EXPECT_NEAR(share("all_gather", {.nodes = {0, 1}, .calls = 3, .receive_gbps = {1, 0.1}}),
              (1 + 2 / 3.0) / 2, 1e-6);
}

TEST(SureShares, OfTheMeanAreOfThoseThatNeedSomethingUnlessTheyAreFew) {
  EXPECT_EQ(share("sendrecv", {.nodes = {0, 1, 2}}), 1);
  EXPECT_EQ(share("sendrecv", {.nodes = {0, 0, 1, 1}}), 0.5);
  EXPECT_EQ(share("sendrecv", {.nodes = {0, 1, 0, 1}}), 0.5);  // each half of its node's
  EXPECT_EQ(share("sendrecv", {.nodes = {0, 0, 0, 1, 1, 1}}), 0);
  EXPECT_EQ(share("gather", {.nodes = {0, 0, 0, 1, 1, 1}}), 1 / 6.0);
}

// Rank 0 needs next to nothing of rank 1, or nothing at all.
TEST(SureShares, OfPartsThatVaryLeaveOutTheLastCallOfWhoNeedsLittle) {
  EXPECT_NEAR(share_of_matrix("2e6 4e6\n16 2e6\n", {.nodes = {0, 1}}), (4 / 5.0 + 1) / 2, 1e-3);
  EXPECT_EQ(share_of_matrix("2e6 4e6\n0 2e6\n", {.nodes = {0, 1}}), 0);
}

}  // namespace
}  // namespace linerate
