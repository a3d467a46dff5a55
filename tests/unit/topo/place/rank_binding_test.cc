// Cores that ranks can be bound to, how they are shared, and which rank gets what.
#include "topo/place/rank_binding.h"

#include "support/topo/hwloc_synthetic.h"
#include "support/topo/random_shape.h"
#include "topo/cluster/platforms.h"
#include "topo/detect/hwloc_system.h"
#include "unit/topo/place/two_sockets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace linerate::topo {
namespace {

System untold(const std::string& affinity) {
  System system;
  system.cpus.push_back({.affinity = affinity});
  return system;
}

TEST(UsableCores, HaveTheirThreadsAndHwlocsNumbers) {
  const auto nodes = cores_of(two_sockets());

  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_TRUE(nodes[1].known);
  ASSERT_EQ(nodes[1].cores.size(), 4U);
  EXPECT_EQ(nodes[1].cores[0].logical, 4);
  EXPECT_EQ(nodes[1].cores[0].threads, (ThreadSet{4, 12}));
}

TEST(UsableCores, AreNumberedAmongThoseThatTheControlGroupLeaves) {
  auto system = two_sockets();
  system.usable = mask_text({1, 3, 4, 12});

  const auto nodes = cores_of(system);

  ASSERT_EQ(nodes[0].cores.size(), 2U);
  EXPECT_EQ(nodes[0].cores[1].threads, ThreadSet{3});
  EXPECT_EQ(nodes[0].cores[1].logical, 1);
  ASSERT_EQ(nodes[1].cores.size(), 1U);
  EXPECT_EQ(nodes[1].cores[0].logical, 2);
}

TEST(UsableCores, AreNumberedSocketBySocket) {
  auto system = two_sockets();
  system.cpus[0].package = 1;  // memory node 0 on the socket that hwloc counts last
  system.cpus[0].core_threads = {{8, 9}};
  system.cpus[0].affinity = mask_text({8, 9});
  system.cpus[1].package = 0;
  system.cpus[1].core_threads = {{0, 1}};
  system.cpus[1].affinity = mask_text({0, 1});

  const auto nodes = cores_of(system);

  EXPECT_EQ(nodes[0].cores[0].logical, 1);
  EXPECT_EQ(nodes[1].cores[0].logical, 0);
}

TEST(UsableCores, AreKnownBesideANodeWithoutAny) {
  auto system = two_sockets();
  system.cpus.push_back({.numa = -1});  // of devices whose place is not known

  const auto nodes = cores_of(system);

  EXPECT_EQ(nodes[1].cores[3].logical, 7);
  EXPECT_TRUE(nodes[2].known);
}

TEST(UntoldCores, AreThreadsWhoseSharesKeepCoresTogether) {
  const auto two_runs = cores_of(untold("00000f0f"));  // 0-3 and 8-11
  const auto one_run = cores_of(untold("000000ff"));

  const auto of_two = shares(two_runs[0].cores, 2), of_one = shares(one_run[0].cores, 2);

  EXPECT_FALSE(two_runs[0].known);
  EXPECT_EQ(threads_of(of_two[0]), (ThreadSet{0, 1, 8, 9}));
  EXPECT_EQ(threads_of(of_one[1]), (ThreadSet{4, 5, 6, 7}));
  EXPECT_EQ(of_one[0][0].logical, -1);
}

TEST(SharesOfCores, AreEvenAndLeaveNothing) {
  const auto cores = cores_of(untold("000003ff"))[0].cores;

  const auto parts = shares(cores, 4);

  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].size(), 3U);
  EXPECT_EQ(parts[1].size(), 3U);
  EXPECT_EQ(parts[3].size(), 2U);
  EXPECT_EQ(threads_of(parts[3]), (ThreadSet{8, 9}));
}

TEST(SharesOfCores, AreTheSameCoreForSeveralWhereThereAreTooFew) {
  const auto parts = shares(cores_of(untold("00000003"))[0].cores, 4);

  EXPECT_EQ(threads_of(parts[1]), ThreadSet{0});
  EXPECT_EQ(threads_of(parts[2]), ThreadSet{1});
}

Graph platform(std::string_view name) { return build_graph(built_in_platform(name).value()); }

Graph without_gpus(const std::string& description) {
  const auto topology = synthetic(description);
  System system;
  system.cpus = cpus_of_hwloc(topology.get(), system.unseen);
  return build_graph(std::move(system));
}

TEST(BindingsOfGpus, OfADgxAreItsGpusWithTheirNic) {
  const auto bindings = bind_ranks(platform("dgx-h100"), 8);

  ASSERT_EQ(bindings.all.size(), 8U);
  for (int i = 0; i < 8; ++i) {
    const RankBinding& binding = bindings.all[static_cast<std::size_t>(i)];
    EXPECT_EQ(binding.dev, i);
    EXPECT_EQ(binding.numas, std::vector<int>{i / 4});
    EXPECT_EQ(binding.cores.size(), 28U);  // 112 threads for four
    ASSERT_EQ(binding.nics.size(), 1U);
    EXPECT_EQ(binding.nics[0].name, "mlx5_" + std::to_string(i));
    EXPECT_EQ(binding.nics[0].type, PathType::pxb);
  }
}

TEST(BindingsOfGpus, ShareNicsThatAreEquallyNear) {
  const auto bindings = bind_ranks(platform("dgx-a100"), 8);  // two GPUs and NICs below each switch

  std::map<std::string, int> users;
  for (const auto& binding : bindings.all)
    for (const auto& nic : binding.nics) ++users[nic.name];

  EXPECT_EQ(users.size(), 8U);
  for (const auto& [name, count] : users) EXPECT_EQ(count, 1) << name;
}

TEST(BindingsOfGpus, TakeOnlyTheFirstWhereThereAreFewerRanks) {
  const auto bindings = bind_ranks(platform("dgx-h100"), 2);

  EXPECT_EQ(bindings.all[1].dev, 1);
  EXPECT_EQ(bindings.all[1].cores.size(), 56U);  // half of the memory node
  EXPECT_EQ(bindings.numa_nodes, 2);
}

TEST(BindingsOfGpus, TakeCoresOfAnotherMemoryNodeWhereTheirOwnAreNotUsable) {
  auto system = built_in_platform("dgx-h100").value();
  system.usable = mask_text({0, 1, 2, 3, 4, 5, 6, 7});  // memory node 0 alone

  const auto bindings = bind_ranks(build_graph(system), 8);

  EXPECT_EQ(bindings.all[7].numas, std::vector<int>{0});
  EXPECT_EQ(threads_of(bindings.all[7].cores), ThreadSet{7});
}

TEST(BindingsOfGpus, OfARackAreCountedByHost) {
  const auto bindings = bind_ranks(platform("gb200-nvl72"), 72);

  EXPECT_EQ(bindings.all[5].host, 1);
  EXPECT_EQ(bindings.all[5].dev, 1);
  EXPECT_EQ(bindings.all[71].host, 17);
}

TEST(BindingsOfCores, AreSpreadOverMemoryNodesInProportion) {
  const auto graph = without_gpus("pack:2 [numa] core:4 pu:2");

  const auto bindings = bind_ranks(graph, 3);

  EXPECT_TRUE(bindings.knows_cores);
  EXPECT_EQ(max_ranks(graph), 8);
  EXPECT_EQ(bindings.all[0].numas, std::vector<int>{0});
  EXPECT_EQ(bindings.all[1].numas, std::vector<int>{0});
  EXPECT_EQ(bindings.all[1].cores.size(), 2U);
  EXPECT_EQ(bindings.all[2].numas, std::vector<int>{1});
  EXPECT_EQ(bindings.all[2].cores.size(), 4U);
}

TEST(BindingsOfCores, FewerThanMemoryNodesTakeWholeOnes) {
  const auto bindings = bind_ranks(without_gpus("pack:4 [numa] core:2 pu:1"), 2);

  EXPECT_EQ(bindings.all[0].numas, (std::vector<int>{0, 1}));
  EXPECT_EQ(bindings.all[1].numas, (std::vector<int>{2, 3}));
}

// Of machines of many shapes.
TEST(RankBindings, ShareNoThreadAndStayOnTheirMemoryNode) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const auto graph = build_graph(system_of(random_shape(seed)));
    for (const int n : {1, max_ranks(graph) / 2, max_ranks(graph)}) {
      if (n == 0) continue;
      const auto bindings = bind_ranks(graph, n);
      std::set<int> taken, gpus;
      for (const auto& binding : bindings.all) {
        const auto threads = threads_of(binding.cores);
        for (const int thread : threads) EXPECT_TRUE(taken.insert(thread).second) << seed;
        EXPECT_TRUE(gpus.insert(binding.node).second) << seed;
        EXPECT_EQ(binding.numas, std::vector<int>{graph.node(binding.node).numa}) << seed;
        EXPECT_EQ(binding.nics.empty(), graph.of(NodeKind::net).empty()) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace linerate::topo
