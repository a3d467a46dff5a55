// Which GPU, cores and NICs the ranks of a node get.
#include "topo/place/seats.h"

#include "support/topo/hwloc_synthetic.h"
#include "support/topo/random_shape.h"
#include "topo/cluster/platforms.h"
#include "topo/detect/hwloc_cpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace linerate::topo {
namespace {

Graph platform(std::string_view name) { return build_graph(built_in_platform(name).value()); }

Graph without_gpus(const std::string& description) {
  const auto topology = synthetic(description);
  System system;
  system.cpus = cpus_of_hwloc(topology.get(), system.unseen);
  return build_graph(std::move(system));
}

TEST(SeatsOfGpus, OfADgxAreItsGpusWithTheirNic) {
  const auto seats = seats_of(platform("dgx-h100"), 8);

  ASSERT_EQ(seats.all.size(), 8U);
  for (int i = 0; i < 8; ++i) {
    const Seat& seat = seats.all[static_cast<std::size_t>(i)];
    EXPECT_EQ(seat.dev, i);
    EXPECT_EQ(seat.numas, std::vector<int>{i / 4});
    EXPECT_EQ(seat.cores.size(), 28U);  // 112 threads for four
    ASSERT_EQ(seat.nics.size(), 1U);
    EXPECT_EQ(seat.nics[0].name, "mlx5_" + std::to_string(i));
    EXPECT_EQ(seat.nics[0].type, PathType::pxb);
  }
}

TEST(SeatsOfGpus, ShareNicsThatAreEquallyNear) {
  const auto seats = seats_of(platform("dgx-a100"), 8);  // two GPUs and NICs below each switch

  std::map<std::string, int> users;
  for (const auto& seat : seats.all)
    for (const auto& nic : seat.nics) ++users[nic.name];

  EXPECT_EQ(users.size(), 8U);
  for (const auto& [name, count] : users) EXPECT_EQ(count, 1) << name;
}

TEST(SeatsOfGpus, TakeOnlyTheFirstWhereThereAreFewerRanks) {
  const auto seats = seats_of(platform("dgx-h100"), 2);

  EXPECT_EQ(seats.all[1].dev, 1);
  EXPECT_EQ(seats.all[1].cores.size(), 56U);  // half of the memory node
  EXPECT_EQ(seats.numa_nodes, 2);
}

TEST(SeatsOfGpus, TakeCoresOfAnotherMemoryNodeWhereTheirOwnAreNotUsable) {
  auto system = built_in_platform("dgx-h100").value();
  system.usable = words_of({0, 1, 2, 3, 4, 5, 6, 7});  // memory node 0 alone

  const auto seats = seats_of(build_graph(system), 8);

  EXPECT_EQ(seats.all[7].numas, std::vector<int>{0});
  EXPECT_EQ(threads_of(seats.all[7].cores), ThreadSet{7});
}

TEST(SeatsOfGpus, OfARackAreCountedByHost) {
  const auto seats = seats_of(platform("gb200-nvl72"), 72);

  EXPECT_EQ(seats.all[5].host, 1);
  EXPECT_EQ(seats.all[5].dev, 1);
  EXPECT_EQ(seats.all[71].host, 17);
}

TEST(SeatsOfCores, AreSpreadOverMemoryNodesInProportion) {
  const auto graph = without_gpus("pack:2 [numa] core:4 pu:2");

  const auto seats = seats_of(graph, 3);

  EXPECT_TRUE(seats.knows_cores);
  EXPECT_EQ(most_seats(graph), 8);
  EXPECT_EQ(seats.all[0].numas, std::vector<int>{0});
  EXPECT_EQ(seats.all[1].numas, std::vector<int>{0});
  EXPECT_EQ(seats.all[1].cores.size(), 2U);
  EXPECT_EQ(seats.all[2].numas, std::vector<int>{1});
  EXPECT_EQ(seats.all[2].cores.size(), 4U);
}

TEST(SeatsOfCores, FewerThanMemoryNodesTakeWholeOnes) {
  const auto seats = seats_of(without_gpus("pack:4 [numa] core:2 pu:1"), 2);

  EXPECT_EQ(seats.all[0].numas, (std::vector<int>{0, 1}));
  EXPECT_EQ(seats.all[1].numas, (std::vector<int>{2, 3}));
}

// Of machines of many shapes.
TEST(Seats, ShareNoThreadAndStayOnTheirMemoryNode) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const auto graph = build_graph(system_of(random_shape(seed)));
    for (const int n : {1, most_seats(graph) / 2, most_seats(graph)}) {
      if (n == 0) continue;
      const auto seats = seats_of(graph, n);
      std::set<int> taken, gpus;
      for (const auto& seat : seats.all) {
        const auto threads = threads_of(seat.cores);
        for (const int thread : threads) EXPECT_TRUE(taken.insert(thread).second) << seed;
        EXPECT_TRUE(gpus.insert(seat.node).second) << seed;
        EXPECT_EQ(seat.numas, std::vector<int>{graph.node(seat.node).numa}) << seed;
        EXPECT_EQ(seat.nics.empty(), graph.of(NodeKind::net).empty()) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace linerate::topo
