// What calls take of links, and how they slow each other down.
#include "support/sizes.h"
#include "topo/cluster/platforms.h"
#include "topo/place/group_loads.h"

#include <gtest/gtest.h>

#include <array>

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

}  // namespace
}  // namespace linerate::topo
