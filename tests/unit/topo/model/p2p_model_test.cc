// Bounds of collectives made of sends, computed by hand, and how they follow the machine.
#include "topo/model/p2p_model.h"

#include "collectives/traffic.h"
#include "support/sizes.h"
#include "support/topo/random_shape.h"
#include "topo/cluster/platforms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

constexpr double kNvlinks = 18 * 20.6, kPci5 = 48;  // GB/s, as NCCL counts them

P2pBound bound(const Graph& graph, int nnodes, std::string_view name,
               std::size_t bytes = 16 * kGiB) {
  return P2pModel(graph, nnodes).bound(*find_collective(name), bytes).value();
}

Graph platform(std::string_view name, const NcclVersion& version = {}) {
  return build_graph(built_in_platform(name).value(), version);
}

void expect_bound(const P2pBound& found, double busbw_gbps, std::string_view bound_by) {
  EXPECT_NEAR(found.busbw_gbps, busbw_gbps, 0.001 * busbw_gbps);
  EXPECT_EQ(found.bound_by, bound_by);
}

// 370 GB/s: what a maintainer says of NCCL over these NVLinks (NVIDIA/nccl-tests issue 212).
TEST(P2pBounds, OfOneNodeAreThatOfItsNvlinks) {
  const auto h100 = platform("dgx-h100");

  expect_bound(bound(h100, 1, "all_to_all"), kNvlinks, "NVLinks of GPU0");
  expect_bound(bound(h100, 1, "gather"), kNvlinks, "NVLinks of GPU0");
  expect_bound(bound(h100, 1, "scatter"), kNvlinks, "NVLinks of GPU0");
  expect_bound(bound(h100, 1, "sendrecv"), kNvlinks, "NVLinks of GPU0");
  EXPECT_NEAR(kNvlinks, 370, 1);
}

// Of the 15 parts that leave a rank 8 leave the node, each GPU's through a NIC of its own. All that
// the root gets from 8 of 16 ranks comes through its one; what it scatters leaves through all, and
// by its NVLinks go 7 parts to its neighbours and 7 to their NICs.
TEST(P2pBounds, OfTwoNodesAreThatOfTheirNics) {
  const auto h100 = platform("dgx-h100");

  expect_bound(bound(h100, 2, "all_to_all"), kPci5 * 15 / 8, "PCI of mlx5_0");
  expect_bound(bound(h100, 2, "gather"), kPci5 * 15 / 8, "PCI of mlx5_0");
  expect_bound(bound(h100, 2, "scatter"), kNvlinks * 15 / 14, "NVLinks of GPU0");
  expect_bound(bound(h100, 2, "sendrecv"), kPci5, "PCI of mlx5_0");
}

// "The performance you should see is the performance of a single NIC" (nccl-tests issue 267).
TEST(P2pBounds, OfManyNodesComeNearOneNic) {
  const auto found = bound(platform("dgx-h100"), 512, "all_to_all");

  EXPECT_GT(found.busbw_gbps, kPci5);
  EXPECT_LT(found.busbw_gbps, 1.01 * kPci5);
}

// Ranks 0 and 1, 2 and 3: parts of 1/16 and 2/16 of the row and 4/16 over NVLinks, then 8/16.
TEST(P2pBounds, OfAHypercubeAddUpItsSteps) {
  const auto found = bound(platform("dgx-h100"), 2, "hypercube");

  const double each = 1 / (7.0 / 16 / kNvlinks + 8.0 / 16 / kPci5) * 15 / 16;
  expect_bound(found, each, "PCI of mlx5_0");
}

P2pBound traffic_bound(int nnodes, const TrafficMatrix& traffic, std::size_t count = 0) {
  const P2pModel model(platform("dgx-h100"), nnodes);
  const Sizing sizing{
      .count = count, .nranks = nnodes * 8, .traffic = &traffic, .type = DataType::uint8};
  return model.bound_of_traffic(*find_collective("all_to_all_v"), sizing).value();
}

// Bytes of a matrix of ranks, zero but for what is set.
class Bytes {
 public:
  explicit Bytes(int nranks) : nranks_(nranks), bytes_(at(nranks, 0)) {}

  Bytes&& set(int from, int to, std::size_t bytes) && {
    bytes_[at(from, to)] = bytes;
    return std::move(*this);
  }
  TrafficMatrix matrix() const {
    std::string text;
    for (std::size_t i = 0; i < bytes_.size(); ++i)
      text += fmt::format("{}{}", bytes_[i], (i + 1) % at(1, 0) == 0 ? '\n' : ' ');
    return TrafficMatrix::parse(text, nranks_, 1).value();
  }

 private:
  std::size_t at(int from, int to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(nranks_) +
           static_cast<std::size_t>(to);
  }

  int nranks_;
  std::vector<std::size_t> bytes_;
};

TEST(P2pBounds, OfAMatrixAreThatOfTheBusiestLink) {
  const auto inside = traffic_bound(1, Bytes(8).set(3, 5, 16 * kGiB).set(1, 5, 16 * kGiB).matrix());
  const auto out = traffic_bound(2, Bytes(16).set(9, 1, 16 * kGiB).matrix());

  expect_bound(inside, kNvlinks * 7 / 8, "NVLinks of GPU5");
  expect_bound(out, kPci5 * 15 / 16, "PCI of mlx5_1");
}

// Two nodes send to one: what arrives there is twice what leaves each of them.
TEST(P2pBounds, OfAMatrixCountWhatArrives) {
  const auto found =
      traffic_bound(3, Bytes(24).set(9, 1, 16 * kGiB).set(17, 1, 16 * kGiB).matrix());

  expect_bound(found, kPci5 * 23 / 24, "PCI of mlx5_1");
}

// What stays at its rank crosses no link, and counts.
TEST(P2pBounds, OfAMatrixLeaveOutWhatARankKeeps) {
  const auto kept = traffic_bound(1, Bytes(8).set(2, 2, 8 * kGiB).set(2, 5, 8 * kGiB).matrix());

  expect_bound(kept, 2 * kNvlinks * 7 / 8, "NVLinks of GPU2");
}

// A copy of so much may take longer than what the links carry, and nobody tells how long.
TEST(P2pBounds, AreNoneWhereARankKeepsMoreThanLinksCarry) {
  const P2pModel model(platform("dgx-h100"), 1);
  for (const std::size_t sent : {std::size_t{0}, kGiB}) {
    const auto traffic = Bytes(8).set(2, 2, 2 * kGiB).set(3, 5, sent).matrix();
    const Sizing sizing{.nranks = 8, .traffic = &traffic, .type = DataType::uint8};

    EXPECT_FALSE(model.bound_of_traffic(*find_collective("all_to_all_v"), sizing)) << sent;
  }
}

// Neighbours get more, so that less leaves the nodes than of even traffic.
TEST(P2pBounds, OfWeightedTrafficFollowItsWeights) {
  const auto even = traffic_bound(4, TrafficMatrix::weighted(0, 32), kGiB);
  const auto uneven = traffic_bound(4, TrafficMatrix::weighted(1, 32), kGiB);

  EXPECT_GT(uneven.busbw_gbps, 1.2 * even.busbw_gbps);
  EXPECT_EQ(even.bound_by, "PCI of mlx5_0");
}

TEST(P2pBounds, OfSmallSizesAreLatency) {
  const auto h100 = platform("dgx-h100");

  const auto one = bound(h100, 1, "all_to_all", 128), two = bound(h100, 2, "all_to_all", 256);

  EXPECT_EQ(one.bound_by, "latency");
  EXPECT_NEAR(one.time_us, 6.6 + 0.6, 0.1);  // base and NVLink of Ring/LL
  EXPECT_NEAR(two.time_us, 6.6 + 2.7, 0.1);
  EXPECT_NEAR(bound(h100, 1, "hypercube", 128).time_us, 3 * (6.6 + 0.6), 0.1);
}

// Without switches all the same: the links go from GPU to GPU. Without links it is PCI.
TEST(P2pBounds, OfSmallSizesAreThoseOfNvlinksWhereGpusAreJoinedByThem) {
  const NodeShape shape{.numas = 1, .switches = 2, .gpu = {.nvlinks = 12, .nvswitches = 0}};
  NodeShape apart = shape;
  apart.gpu.nvlinks = 0;

  EXPECT_NEAR(bound(build_graph(system_of(shape)), 1, "all_to_all", 128).time_us, 6.6 + 0.6, 0.1);
  EXPECT_NEAR(bound(build_graph(system_of(apart)), 1, "all_to_all", 128).time_us, 6.6 + 1.0, 0.1);
}

// Without NVLinks four GPUs send half of all, or a quarter where there are two nodes, to the other
// processor; the more leave by the NICs the better.
TEST(P2pBounds, OfPciNodesCountWhatGpusShare) {
  constexpr double kBetweenCpus = 22;
  const auto l40s = platform("pcie-8xl40s");

  expect_bound(bound(l40s, 1, "all_to_all"), kBetweenCpus / 2 * 7 / 8,
               "the link from CPU0 to CPU1");
  expect_bound(bound(l40s, 2, "all_to_all"), kBetweenCpus * 15 / 16, "the link from CPU0 to CPU1");
}

TEST(P2pBounds, FollowTheSpeedOfTheNics) {
  NodeShape shape{.gpu = {.nvswitches = 1}, .nic = {.speed_mbps = 100000}};
  const auto slow = build_graph(system_of(shape));
  shape.nic.speed_mbps = 200000;
  const auto fast = build_graph(system_of(shape));

  const auto one = bound(slow, 4, "all_to_all"), other = bound(fast, 4, "all_to_all");

  EXPECT_NEAR(other.busbw_gbps / one.busbw_gbps, 2, 0.001);
  EXPECT_EQ(one.bound_by, "NIC mlx5_0");
}

// Several NICs of a GPU share its sends.
TEST(P2pBounds, TakeAllNicsOfAGpu) {
  NodeShape shape{.gpu = {.nvswitches = 1}, .nic = {.pcie = 6, .speed_mbps = 100000}, .uplink = 6};
  const auto one = bound(build_graph(system_of(shape)), 2, "all_to_all");
  shape.nics = 2;
  const auto two = bound(build_graph(system_of(shape)), 2, "all_to_all");

  EXPECT_NEAR(two.busbw_gbps / one.busbw_gbps, 2, 0.001);
}

TEST(P2pBounds, AreNotLoweredByMoreNics) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    auto shape = random_shape(seed);
    shape.nics = 1;
    if (shape.gpus_per_host() > 16) continue;
    double before = 0;
    for (const int nics : {1, 2, 4}) {
      shape.nics = nics;
      const auto graph = build_graph(system_of(shape));
      const double now = bound(graph, 2, "all_to_all").busbw_gbps;
      EXPECT_GE(now, before * (1 - 1e-9)) << "seed " << seed << ", " << nics << " NICs";
      before = now;
    }
  }
}

// Before 2.28 NCCL did not pass on through GPUs whose NIC is behind their processor's C2C.
TEST(P2pBounds, PassOnAsTheVersionDoes) {
  const auto shape = NodeShape{.numas = 2,
                               .switches = 0,
                               .gpus = 2,
                               .nics = 2,
                               .cpu = {CpuArch::arm64, "", 0, 0, "Grace", 72},
                               .gpu = {.sm = 100, .nvswitches = 1, .c2c = C2c{44712, 5}}};
  const auto routes = [&](const NcclVersion& version) {
    return P2pModel(build_graph(system_of(shape), version), 2).out(0, 3).front().hops.size();
  };

  EXPECT_EQ(routes({2, 27, 7}), 3U);  // processor, NIC, port
  EXPECT_EQ(routes({2, 28, 9}), 5U);  // switch and the other GPU before these
}

TEST(P2pBounds, AreNoneWithoutAWay) {
  const auto graph = build_graph(system_of({.nics = 0}));

  EXPECT_TRUE(P2pModel(graph, 1).bound(*find_collective("all_to_all"), kGiB));
  EXPECT_FALSE(P2pModel(graph, 2).bound(*find_collective("all_to_all"), kGiB));
  EXPECT_FALSE(P2pModel(graph, 1).bound(*find_collective("all_reduce"), kGiB));
  EXPECT_FALSE(P2pModel(graph, 1).bound(*find_collective("all_to_all"), 0));
}

}  // namespace
}  // namespace linerate::topo
