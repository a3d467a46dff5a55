// What channels take of links, and whether paths join all GPUs.
#include "topo/search/candidate_graph.h"

#include "topo/search/channels.h"
#include "unit/topo/graph/nodes.h"
#include "unit/topo/graph/random_system.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

// One socket with two GPUs and a NIC each at its root ports.
struct Bench {
  explicit Bench(const CpuShape& cpu, int sm = 90)
      : graph(build_graph(system_of(shape(cpu, sm)))), paths(graph), topology(graph, paths, true) {}

  static NodeShape shape(const CpuShape& cpu, int sm) {
    NodeShape shape{};
    shape.numas = 1;
    shape.switches = 0;
    shape.gpus = shape.nics = 2;
    shape.gpu.nvlinks = shape.gpu.nvswitches = 0;
    shape.gpu.sm = sm;
    shape.cpu = cpu;
    return shape;
  }

  Graph graph;
  Paths paths;
  SearchTopology topology;
};

TEST(LinkLoad, IsTakenAndGivenBack) {
  const Bench bench({.vendor = "AuthenticAMD"});
  LinkLoad load(bench.topology);
  const SearchPath& path = bench.topology.path(0, 1);

  EXPECT_TRUE(load.take(path, 40));
  EXPECT_FALSE(load.take(path, 10));
  EXPECT_FLOAT_EQ(load.free(path.hops[0].link), 8);
  load.give_back(path, 40);
  EXPECT_FLOAT_EQ(load.free(path.hops[0].link), 48);
}

TEST(LinkLoad, OfAWayThatIsTooNarrowInTheMiddleIsNone) {
  const Bench bench({.vendor = "AuthenticAMD"});
  LinkLoad load(bench.topology);
  const SearchPath& there = bench.topology.path(0, 1);
  ASSERT_TRUE(load.take(bench.topology.path(bench.topology.net_vertex(0), 1), 20));

  EXPECT_FALSE(load.take(there, 40));
  EXPECT_FLOAT_EQ(load.free(there.hops.front().link), 48);
}

TEST(LinkLoad, BetweenGpusThroughIntelsProcessorIsAFifthMore) {
  const Bench bench({});
  LinkLoad load(bench.topology);
  const SearchPath& path = bench.topology.path(0, 1);

  EXPECT_FALSE(load.take(path, 42));
  EXPECT_TRUE(load.take(path, 40));
  EXPECT_FLOAT_EQ(load.free(path.hops[0].link), 0);
}

TEST(LinkLoad, IntoGpusBeforeAmpereTakesAnEighthOfTheWayBack) {
  const Bench bench({}, 70), ampere({}, 80);
  for (const auto* b : {&bench, &ampere}) {
    LinkLoad load(b->topology);
    ASSERT_TRUE(load.take(b->topology.path(b->topology.net_vertex(0), 0), 40));
    const float back = load.free(b->topology.pci_link(0));
    EXPECT_FLOAT_EQ(back, b == &bench ? 43 : 48);
  }
}

// Nothing is taken by asking, and each link counts by itself.
TEST(LinkLoad, CanTakeWhatEveryLinkHas) {
  const Bench bench({}), old({}, 70);
  LinkLoad load(bench.topology), of_old(old.topology);
  const SearchPath& path = bench.topology.path(0, 1);
  const SearchPath& into_old = old.topology.path(old.topology.net_vertex(0), 0);

  EXPECT_FALSE(load.can_take(path, 42));
  EXPECT_TRUE(load.can_take(path, 40));
  EXPECT_TRUE(load.can_take(path, 40));
  ASSERT_TRUE(load.take(bench.topology.path(bench.topology.net_vertex(0), 1), 20));
  EXPECT_FALSE(load.can_take(path, 40));
  ASSERT_TRUE(of_old.can_take(into_old, 20));
  ASSERT_TRUE(of_old.take(old.topology.path(0, old.topology.net_vertex(0)), 39));
  EXPECT_FALSE(of_old.can_take(into_old, 20));
}

TEST(LinkLoad, OfAWayThatPassesALinkTwiceIsAskedForOnce) {
  const Bench bench({.vendor = "AuthenticAMD"});
  LinkLoad load(bench.topology);
  SearchPath twice = bench.topology.path(0, 1);
  twice.hops.push_back(twice.hops.front());

  EXPECT_TRUE(load.can_take(twice, 40));
  EXPECT_FALSE(load.take(twice, 40));
}

bool gives_back_all(const System& system) {
  const auto graph = build_graph(system);
  const Paths paths(graph);
  return SearchTopology(graph, paths, true).gives_back_all();
}

TEST(SearchTopology, GivesBackAllWhereLinksAndSharesAreWhole) {
  const auto whole = system_of(Bench::shape({}, 90)), eighths = system_of(Bench::shape({}, 70));
  const auto odd = with(whole, [](PciDevice& device) {
    for (auto& net : device.nets) net.speed_mbps = 12345;  // 1.543125 GB/s
  });

  EXPECT_TRUE(gives_back_all(whole));
  EXPECT_FALSE(gives_back_all(eighths));
  EXPECT_FALSE(gives_back_all(odd));
}

// Two sockets of four GPUs without NVLink: 48 GB/s within a socket, 22 between them.
bool joins_all_of(Pattern pattern, float gbps, PathType farthest, bool multi_node = false) {
  const auto graph = build_graph(system_of(pci_node()));
  const Paths paths(graph);
  const SearchTopology topology(graph, paths, multi_node);
  CandidateGraph candidate{.pattern = pattern, .intra_gbps = gbps, .inter_gbps = gbps};
  candidate.intra_type = candidate.inter_type = topology.place(farthest);
  return connects_all_gpus(topology, candidate);
}

TEST(Reach, EndsAtLinksThatAreTooSlow) {
  EXPECT_TRUE(joins_all_of(Pattern::ring, 20, PathType::sys));
  EXPECT_FALSE(joins_all_of(Pattern::ring, 30, PathType::sys));
}

TEST(Reach, EndsAtPathTypesThatAreTooFar) {
  EXPECT_FALSE(joins_all_of(Pattern::ring, 20, PathType::phb));
  EXPECT_FALSE(joins_all_of(Pattern::tree, 20, PathType::phb));
}

TEST(Reach, BeginsAtAPort) {
  auto shape = hopper_node();
  shape.nic.speed_mbps = 100000;  // 12.5 GB/s
  const auto graph = build_graph(system_of(shape));
  const Paths paths(graph);
  CandidateGraph candidate{.intra_gbps = 20, .inter_gbps = 20};
  const SearchTopology alone(graph, paths, false), among_others(graph, paths, true);
  candidate.intra_type = candidate.inter_type = alone.place(PathType::sys);

  EXPECT_TRUE(connects_all_gpus(alone, candidate));
  EXPECT_FALSE(connects_all_gpus(among_others, candidate));
}

// What a search found was there to be found.
TEST(Reach, IncludesEveryChannelThatASearchFinds) {
  constexpr unsigned kSystems = 40;
  unsigned compared = 0;
  for (unsigned seed = 0; seed < kSystems; ++seed) {
    const auto graph = build_graph(random_system(seed));
    const bool multi_node = !graph.of(NodeKind::net).empty() && seed % 2 == 0;
    const Paths paths(graph);
    const SearchTopology topology(graph, paths, multi_node);
    const auto set = search_channels(topology, Pattern::ring, {});
    if (set.simple_order) continue;
    const CandidateGraph candidate{.pattern = Pattern::ring,
                                   .intra_gbps = static_cast<float>(set.intra_gbps),
                                   .inter_gbps = static_cast<float>(set.inter_gbps),
                                   .intra_type = topology.place(set.intra_type),
                                   .inter_type = topology.place(set.inter_type)};
    EXPECT_TRUE(connects_all_gpus(topology, candidate)) << "system " << seed;
    ++compared;
  }
  EXPECT_EQ(compared, 37U);
}

}  // namespace
}  // namespace linerate::topo
