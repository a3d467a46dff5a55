// Which links a pair of ranks uses, how long a message keeps them busy, and what it pays beside.
#include "backends/host/emulation/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NetworkPlan two_racks() {
  return {.nodes = 4,
          .ranks_per_node = 2,
          .nodes_per_rack = 2,
          .nic = {.gbps = 50, .latency_us = 2},
          .local = LinkRate{.gbps = 200, .latency_us = 0.5},
          .rack = LinkRate{.gbps = 25, .latency_us = 1},
          .spine = LinkRate{.gbps = 100, .latency_us = 0.25}};
}

std::vector<std::string> names(const Network& network, int from, int to) {
  std::vector<std::string> found;
  const Path path = network.path(from, to);
  for (const auto link : path.links()) found.push_back(network.name_of(link));
  return found;
}

TEST(Network, LeadsAMessageUpFromItsNodeAndDownToTheOther) {
  const Network network(two_racks());

  EXPECT_THAT(names(network, 0, 1), ElementsAre("node0.local"));
  EXPECT_THAT(names(network, 3, 0), ElementsAre("node1.nic.up", "node0.nic.down"));
  EXPECT_THAT(names(network, 1, 6),
              ElementsAre("node0.nic.up", "rack0.up", "spine", "rack1.down", "node3.nic.down"));
}

TEST(Network, AddsTheLatenciesOfThePath) {
  const Network network(two_racks());

  EXPECT_EQ(network.path(0, 1).latency.real_ns, 500);
  EXPECT_EQ(network.path(0, 2).latency.real_ns, 4000);
  EXPECT_EQ(network.path(0, 4).latency.real_ns, 4000 + 2000 + 250);
}

TEST(Network, KeepsALinkBusyForItsBytes) {
  const Network network(two_racks());

  EXPECT_EQ(network.busy(*network.find_link("node0.nic.up"), 1'000'000).real_ns, 20'000);
  EXPECT_EQ(network.busy(*network.find_link("rack1.down"), 1'000'000).real_ns, 40'000);
  EXPECT_EQ(network.busy(*network.find_link("spine"), 1).real_ns, 1) << "never shorter than it is";
  EXPECT_EQ(network.busy(0, std::size_t{1} << 62).real_ns, 1'000'000'000'000'000) << "eleven days";
}

TEST(Network, WithinANodeIsFreeWithoutALocalLink) {
  NetworkPlan plan = two_racks();
  plan.local.reset();

  EXPECT_THAT(names(Network(plan), 0, 1), IsEmpty());
  EXPECT_EQ(Network(plan).path(0, 1).latency.real_ns, 0);
}

TEST(Network, GivesEachRankTheRailOfItsPlace) {
  NetworkPlan plan = two_racks();
  plan.rails = 2;
  const Network network(plan);

  EXPECT_THAT(names(network, 0, 2), ElementsAre("node0.nic0.up", "node1.nic0.down"));
  EXPECT_THAT(names(network, 1, 2), ElementsAre("node0.nic1.up", "node1.nic0.down"));
  EXPECT_EQ(network.nlinks(), 4u * 2 * 2 + 2 * 2 + 4 + 1);
}

TEST(Network, TheLastRackMayHaveFewerNodes) {
  NetworkPlan plan = two_racks();
  plan.nodes = 5;
  const Network network(plan);

  EXPECT_TRUE(network.find_link("rack2.up"));
  EXPECT_FALSE(network.find_link("rack3.up"));
  EXPECT_THAT(names(network, 9, 0),
              ElementsAre("node4.nic.up", "rack2.up", "spine", "rack0.down", "node0.nic.down"));
}

TEST(Network, ASlowLinkIsSlowForAllWhoUseIt) {
  Network network(two_racks());
  const auto link = *network.find_link("node3.nic.up");

  network.slow_link(link, {.factor = 4, .delay_us = 10});

  EXPECT_EQ(network.busy(link, 1'000'000).real_ns, 80'000);
  EXPECT_EQ(network.path(6, 4).latency.real_ns, 14'000);
  EXPECT_EQ(network.path(4, 6).latency.real_ns, 4'000) << "the other direction is as before";
}

TEST(Network, ASlowRankIsSlowWithEverybody) {
  Network network(two_racks());

  network.slow_rank(5, {.factor = 3, .delay_us = 100});

  for (const auto& path : {network.path(5, 0), network.path(0, 5)}) {
    EXPECT_EQ(path.latency.real_ns, 106'250);
    EXPECT_DOUBLE_EQ(path.stretch, 3);
  }
  EXPECT_DOUBLE_EQ(network.path(4, 0).stretch, 1) << "its neighbour on the node is not";
}

TEST(Network, DilationStretchesEveryTime) {
  NetworkPlan plan = two_racks();
  plan.dilation = 100;
  Network network(plan);
  network.slow_rank(7, {.delay_us = 1});

  EXPECT_EQ(network.path(0, 2).latency.real_ns, 400'000);
  EXPECT_EQ(network.path(7, 4).latency.real_ns, 500'000);
  EXPECT_EQ(network.busy(0, 1'000'000).real_ns, 2'000'000);
}

TEST(Network, SaysWhatItIs) {
  NetworkPlan plan = two_racks();

  EXPECT_EQ(Network(plan).words(), "4 nodes x 2 ranks");
  EXPECT_EQ(Network(plan).node_name(5), "node2");
  plan.dilation = 10;
  plan.nodes = 1;
  EXPECT_EQ(Network(plan).words(), "1 node x 2 ranks, time dilated 10 times");
}

TEST(Network, TellsItselfApartFromOthers) {
  const Network network(two_racks());
  Network slower(two_racks());
  slower.slow_rank(1, {.delay_us = 1});

  EXPECT_EQ(network.fingerprint(), Network(two_racks()).fingerprint());
  EXPECT_NE(network.fingerprint(), slower.fingerprint());
}

}  // namespace
}  // namespace linerate::host
