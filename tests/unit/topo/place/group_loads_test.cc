// What calls take of links, how they slow each other down, and what all_reduces of groups cost.
#include "support/sizes.h"
#include "support/topo/random_shape.h"
#include "topo/cluster/platforms.h"
#include "topo/model/predict.h"
#include "topo/place/order_cost.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace linerate::topo {
namespace {

Load call(double latency_us, double transfer_us, double gbps) {
  return {.latency_us = latency_us,
          .transfer_us = transfer_us,
          .uses = {{{"GPU0", "mlx5_0", LinkKind::pci}, {.gbps = gbps, .capacity_gbps = 50}}}};
}

TEST(CallsAtOnce, ShareALinkThatIsTooNarrowForBoth) {
  const auto one = call(10, 100, 40), other = call(5, 100, 40);

  // 80 GB/s are wanted of 50.
  EXPECT_DOUBLE_EQ(slowest_us(std::array{&one, &other}), 10 + 100 * 80.0 / 50);
  EXPECT_DOUBLE_EQ(slowest_us(std::array{&one}), 110);
}

TEST(CallsAtOnce, DoNotHinderEachOtherOnAWideLink) {
  const auto one = call(10, 100, 20), other = call(10, 90, 30);

  EXPECT_DOUBLE_EQ(slowest_us(std::array{&one, &other}), 110);
}

TEST(CallsAtOnce, DoNotHinderEachOtherOnLinksOfTwoKinds) {
  auto one = call(10, 100, 40), other = call(10, 90, 40);
  other.uses = {{{"GPU0", "mlx5_0", LinkKind::c2c}, {.gbps = 40, .capacity_gbps = 50}}};

  EXPECT_DOUBLE_EQ(slowest_us(std::array{&one, &other}), 110);
}

TEST(OneCall, IsNotSlowerThanItsModelSays) {
  const auto planned_above = call(10, 100, 60);

  EXPECT_DOUBLE_EQ(slowest_us(std::array{&planned_above}), 110);
}

TEST(Messages, TakeTheirPathsNarrowestLink) {
  const auto graph = build_graph(built_in_platform("dgx-h100").value());
  const Paths paths(graph);
  const int a = graph.find("GPU0").value(), b = graph.find("GPU1").value();

  const auto inside = message_load(graph, paths, {a, b}, 32 * kMiB);
  const auto outside = message_load(graph, paths, {a, -1}, 32 * kMiB);

  // By hand: 18 NVLinks of 20.6 GB/s, and PCIe 5.0 x16 as NCCL counts it.
  EXPECT_NEAR(inside.transfer_us, 32 * 1048576 / (18 * 20.6e3), 0.5);
  EXPECT_NEAR(outside.transfer_us, 32 * 1048576 / 48e3, 0.5);
  EXPECT_GT(outside.latency_us, inside.latency_us);
  for (const auto& [link, use] : inside.uses) EXPECT_EQ(link.kind, LinkKind::nvl);
}

TEST(Messages, FromAndToTheNetworkTakeOppositeDirections) {
  const auto graph = build_graph(built_in_platform("dgx-a100").value());
  const Paths paths(graph);
  const int gpu = graph.find("GPU0").value();

  const auto out = message_load(graph, paths, {gpu, -1}, kMiB);
  const auto in = message_load(graph, paths, {-1, gpu}, kMiB);

  for (const auto& [link, use] : out.uses) EXPECT_FALSE(in.uses.contains(link)) << link.from;
  EXPECT_FALSE(in.uses.empty());
}

std::vector<int> gpus_called(const Graph& graph, std::initializer_list<const char*> names) {
  std::vector<int> gpus;
  for (const auto* name : names) gpus.push_back(graph.find(name).value());
  return gpus;
}

std::set<std::string> ends_of(const Load& load) {
  std::set<std::string> ends;
  for (const auto& [link, use] : load.uses) ends.insert({link.from, link.to});
  return ends;
}

TEST(GroupLoad, AreNcclsPredictionForTheWholeNode) {
  const auto graph = build_graph(built_in_platform("dgx-h100").value());
  const auto gpus = graph.of(NodeKind::gpu);

  const auto load = GroupLoads(graph).all_reduce(gpus, 2, 64 * kMiB);

  const auto predicted = Predictor(job_of(graph, 2)).predict(Function::all_reduce, 64 * kMiB);
  EXPECT_DOUBLE_EQ(load.latency_us + load.transfer_us, predicted.time_us);
}

TEST(GroupLoad, OfOneGpuOnEachNodeTakeOneNic) {
  const auto graph = build_graph(built_in_platform("dgx-h100").value());
  const int gpu = graph.find("GPU3").value();

  const auto load = GroupLoads(graph).all_reduce(std::array{gpu}, 2, 1024 * kMiB);

  int ports = 0;
  for (const auto& [link, use] : load.uses)
    if (link.to.starts_with("mlx5_")) ++ports;
  EXPECT_EQ(ports, 1);
  // A ring of two ranks sends each byte once: its NIC has 50 GB/s, its PCIe 48.
  EXPECT_GE(load.transfer_us, 1024 * 1048576 / 50e3);
  EXPECT_LE(load.transfer_us, 1024 * 1048576 / 40e3);
}

TEST(GroupLoad, OfGroupsThatStandAlikeIsSearchedOnce) {
  const auto graph = build_graph(built_in_platform("dgx-h100").value());
  const auto even = gpus_called(graph, {"GPU0", "GPU4"});
  const auto odd = gpus_called(graph, {"GPU1", "GPU5"});
  const auto on_one_socket = gpus_called(graph, {"GPU0", "GPU1"});
  GroupLoads loads(graph);

  const auto first = loads.all_reduce(even, 2, kMiB), second = loads.all_reduce(odd, 2, kMiB);

  EXPECT_EQ(loads.searched(), 1U);
  EXPECT_EQ(first.uses.size(), second.uses.size());
  const auto by_itself = GroupLoads(graph).all_reduce(odd, 2, kMiB);
  EXPECT_DOUBLE_EQ(second.latency_us + second.transfer_us,
                   by_itself.latency_us + by_itself.transfer_us);
  EXPECT_EQ(ends_of(second), ends_of(by_itself));
  EXPECT_FALSE(ends_of(second).contains("GPU0"));
  loads.all_reduce(on_one_socket, 2, kMiB);
  EXPECT_EQ(loads.searched(), 2U);
}

TEST(GroupLoad, OnHostsOfARackIsNamedAfterThem) {
  const auto graph = build_graph(built_in_platform("gb200-nvl72").value());
  GroupLoads loads(graph);

  const auto on_first = loads.all_reduce(gpus_called(graph, {"h0/GPU0", "h0/GPU1"}), 1, kMiB);
  const auto on_other = loads.all_reduce(gpus_called(graph, {"h7/GPU0", "h7/GPU1"}), 1, kMiB);
  const auto across = loads.all_reduce(gpus_called(graph, {"h3/GPU2", "h5/GPU2"}), 1, kMiB);

  EXPECT_EQ(loads.searched(), 2U);
  EXPECT_TRUE(ends_of(on_first).contains("h0/GPU1"));
  EXPECT_TRUE(ends_of(on_other).contains("h7/GPU1"));
  EXPECT_TRUE(ends_of(across).contains("h5/GPU2"));
}

// Of every kind of group on a node, the load is what a search of its own gives.
TEST(GroupLoad, IsThatOfASearchOfItsOwn) {
  for (std::uint32_t seed = 0; seed < 12; ++seed) {
    auto shape = random_shape(seed);
    if (shape.nics == 0) shape.nics = 1;
    const auto graph = build_graph(system_of(shape));
    const auto gpus = graph.of(NodeKind::gpu);
    GroupLoads loads(graph);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const std::array pair{gpus[i], gpus[(i + 1) % gpus.size()]};
      const auto group = std::span(pair).first(std::min<std::size_t>(gpus.size(), 2));
      const auto load = loads.all_reduce(group, 2, kMiB);
      const auto alone = GroupLoads(graph).all_reduce(group, 2, kMiB);

      EXPECT_DOUBLE_EQ(load.transfer_us, alone.transfer_us) << seed;
      EXPECT_EQ(ends_of(load), ends_of(alone)) << seed << graph.node(gpus[i]).name;
    }
  }
}

}  // namespace
}  // namespace linerate::topo
