// Calls cost what the alpha-beta model says: latencies of the rounds, bytes over the bandwidth.
#include "backends/host/emulation/network_cost.h"

#include "backends/host/algorithms/rows.h"
#include "cluster.h"
#include "unit/backends/host/algorithm_costs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::host {
namespace {

constexpr std::int64_t kLatencyNs = 20'000;  // of a path between nodes

// A byte takes 1 ns.
NetworkPlan nodes_of(int nodes, int ranks_per_node = 1) {
  return {.nodes = nodes, .ranks_per_node = ranks_per_node, .nic = {.gbps = 1, .latency_us = 10}};
}

// 64 KiB a rank in one piece: every number of ranks up to 8 divides it into whole lines.
Problem problem_of(OpKind kind, int nranks, const Groups& groups) {
  return {.kind = kind, .count = 16384, .element_bytes = 4, .nranks = nranks, .groups = &groups};
}

double predicted_ns(const Algorithm& algorithm, const Problem& problem) {
  const Cost cost = cost_of(algorithm, problem);
  return cost.rounds * static_cast<double>(kLatencyNs) + cost.bytes;
}

std::int64_t arrival_ns(NetworkCost& cost, int source, std::size_t bytes, std::int64_t start_ns) {
  return cost.arrival(source, bytes, {start_ns, start_ns}).real_ns;
}

TEST(NetworkCost, AMessageTakesLatencyAndBytes) {
  Cluster cluster(Network(nodes_of(2)));

  EXPECT_EQ(arrival_ns(cluster.cost(1), 0, 1000, 5), 5 + 1000 + kLatencyNs);
  EXPECT_EQ(arrival_ns(cluster.cost(1), 0, 1000, 5), 5 + 2000 + kLatencyNs) << "behind the first";
  EXPECT_EQ(arrival_ns(cluster.cost(0), 1, 1000, 5), 5 + 1000 + kLatencyNs) << "the other way";
  EXPECT_EQ(arrival_ns(cluster.cost(1), 0, 0, 9000), 9000 + kLatencyNs) << "no bytes";
}

TEST(NetworkCost, RanksOfANodeShareItsNic) {
  Cluster cluster(Network(nodes_of(3, 2)));

  EXPECT_EQ(arrival_ns(cluster.cost(2), 0, 1000, 0), 1000 + kLatencyNs);
  EXPECT_EQ(arrival_ns(cluster.cost(4), 1, 1000, 0), 2000 + kLatencyNs) << "both leave node 0";
  EXPECT_EQ(arrival_ns(cluster.cost(1), 0, 1000, 0), 0) << "within a node it is free";
}

TEST(NetworkCost, TheNarrowestLinkOfAPathCounts) {
  NetworkPlan plan = nodes_of(4);
  plan.nodes_per_rack = 2;
  plan.rack = LinkRate{.gbps = 0.5, .latency_us = 5};
  Cluster cluster{Network(plan)};

  EXPECT_EQ(arrival_ns(cluster.cost(1), 0, 1000, 0), 1000 + kLatencyNs);
  EXPECT_EQ(arrival_ns(cluster.cost(2), 0, 1000, 9000), 9000 + 2000 + kLatencyNs + 10'000);
}

TEST(NetworkCost, ASlowRankTakesLonger) {
  Network network(nodes_of(3));
  network.slow_rank(1, {.factor = 3, .delay_us = 100});
  Cluster cluster(network);

  EXPECT_EQ(arrival_ns(cluster.cost(1), 0, 1000, 0), 3000 + kLatencyNs + 100'000);
  EXPECT_EQ(arrival_ns(cluster.cost(2), 0, 1000, 1000), 2000 + kLatencyNs) << "its links do not";
}

TEST(NetworkCost, AnEagerCallTakesOneLatency) {
  Cluster cluster(Network(nodes_of(8)));
  for (int rank = 0; rank < 8; ++rank) cluster.cost(rank).enter();

  for (int rank = 0; rank < 8; ++rank)
    for (int peer = 0; peer < 8; ++peer)
      if (peer != rank) cluster.cost(rank).receive(peer, 8);

  for (int rank = 0; rank < 8; ++rank)
    EXPECT_EQ(cluster.cost(rank).end({}).real_ns, kLatencyNs + 7 * 8) << "rank " << rank;
}

TEST(NetworkCost, AnExchangeTakesOneLatencyAndAllBytes) {
  Cluster cluster(Network(nodes_of(4)));
  for (int rank = 0; rank < 4; ++rank) cluster.cost(rank).enter();

  for (int rank = 0; rank < 4; ++rank)
    for (int peer = 0; peer < 4; ++peer) cluster.cost(rank).fetch(peer, 1000);

  for (int rank = 0; rank < 4; ++rank)
    EXPECT_EQ(cluster.cost(rank).end({}).real_ns, kLatencyNs + 3000) << "rank " << rank;
}

// Two children share their parent's NIC, and the first to come is served first: trees are left out
// where that would count.
std::vector<const Algorithm*> all_but_trees(const Problem& problem) {
  std::vector<const Algorithm*> rows;
  for (const Algorithm* algorithm : all_algorithms())
    if (algorithm->schedule != nullptr && algorithm != &kTree && algorithm->defined(problem))
      rows.push_back(algorithm);
  return rows;
}

class CostOf : public testing::TestWithParam<OpKind> {};

TEST_P(CostOf, TheRingIsItsCost) {
  for (const int nranks : {2, 4, 8}) {
    const Groups groups = Groups::one(nranks);
    const Problem problem = problem_of(GetParam(), nranks, groups);
    Cluster cluster{Network(nodes_of(nranks))};

    const auto took_ns = static_cast<double>(cluster.run(kRing, problem));

    EXPECT_NEAR(took_ns, predicted_ns(kRing, problem), 0.001 * took_ns) << nranks << " ranks";
  }
}

// A step that reads and writes pays two latencies; a step without data in it none.
TEST_P(CostOf, EveryAlgorithmIsWithinALatencyOfItsCost) {
  const Groups groups = Groups::one(8);
  const Problem problem = problem_of(GetParam(), 8, groups);
  for (const Algorithm* algorithm : all_but_trees(problem)) {
    Cluster cluster{Network(nodes_of(8))};

    const auto took_ns = static_cast<double>(cluster.run(*algorithm, problem));

    EXPECT_NEAR(took_ns, predicted_ns(*algorithm, problem), 1.01 * kLatencyNs) << algorithm->name;
  }
}

// Whoever comes first in reality, the emulated times are the same.
TEST_P(CostOf, TheOrderOfExecutionDoesNotMatter) {
  const Groups groups = Groups::one(8);
  const Problem problem = problem_of(GetParam(), 8, groups);
  for (const Algorithm* algorithm : all_but_trees(problem)) {
    const auto first = static_cast<double>(Cluster{Network(nodes_of(8))}.run(*algorithm, problem));

    for (unsigned seed = 1; seed < 20; ++seed) {
      Cluster cluster{Network(nodes_of(8))};
      const auto took_ns = static_cast<double>(cluster.run(*algorithm, problem, seed));
      EXPECT_NEAR(took_ns, first, 0.02 * first) << algorithm->name << ", seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Collectives, CostOf,
                         testing::Values(OpKind::all_reduce, OpKind::reduce_scatter,
                                         OpKind::all_gather),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST(NetworkCost, ASignalAloneTakesALatency) {
  const Groups groups = Groups::one(4);
  Problem problem = problem_of(OpKind::all_reduce, 4, groups);
  problem.count = 16;
  Cluster cluster{Network(nodes_of(4))};

  EXPECT_EQ(cluster.run(kPull, problem), 2 * kLatencyNs + 3 * 64);
}

TEST(NetworkCost, APipelineHidesItsLatencies) {
  const Groups groups = Groups::one(4);
  Problem problem = problem_of(OpKind::broadcast, 4, groups);
  problem.count = 1 << 20;
  Cluster cluster{Network(nodes_of(4))};

  const auto took_ns = static_cast<double>(cluster.run(kRing, problem));

  const double bytes = 4.0 * (1 << 20);
  EXPECT_NEAR(took_ns, bytes * (1 + 2.0 / 32) + 3 * kLatencyNs, 0.01 * bytes);
}

TEST(NetworkCost, ATreeInManyPiecesTakesItsBytesAndWaitsAtItsForks) {
  const Groups groups = Groups::one(8);
  Problem problem = problem_of(OpKind::all_reduce, 8, groups);
  problem.count = 1 << 20;
  Cluster cluster{Network(nodes_of(8))};

  const auto took_ns = static_cast<double>(cluster.run(kTree, problem));

  EXPECT_GT(took_ns, cost_of(kTree, problem).bytes);
  EXPECT_LT(took_ns, 1.5 * cost_of(kTree, problem).bytes);
}

TEST(NetworkCost, HierarchiesPayForTheNicOnce) {
  NetworkPlan plan = nodes_of(4, 2);
  plan.local = LinkRate{.gbps = 100, .latency_us = 1};
  const std::vector<int> nodes{0, 0, 1, 1, 2, 2, 3, 3};
  const Groups groups = Groups::from_marks(nodes);
  const Problem problem = problem_of(OpKind::all_reduce, 8, groups);

  const auto flat_ns = Cluster{Network(plan)}.run(kFlat, problem);
  const auto hierarchical_ns = Cluster{Network(plan)}.run(kHierarchical, problem);

  // Of each node 3/4 of 64 KiB leave twice; flat sends those of both its ranks.
  EXPECT_NEAR(static_cast<double>(hierarchical_ns), 2 * 0.75 * 65536 + 2 * kLatencyNs, 6000);
  EXPECT_GT(flat_ns, hierarchical_ns + 40'000);
}

TEST(NetworkCost, WhatARankReturnsTooLateIsTakenOffItsNextEntry) {
  Cluster cluster(Network(nodes_of(2)));
  NetworkCost& cost = cluster.cost(0);
  cost.enter();
  cost.last_until({1000, 1000});
  cluster.clock().set(1700);

  cost.end_call({});
  cluster.clock().set(2000);

  EXPECT_EQ(cost.begin().real_ns, 1300) << "300 after the end of the call";
  cost.clear_debt();
  EXPECT_EQ(cost.begin().real_ns, 2000) << "after a barrier all begin together";
}

TEST(NetworkCost, ACallWaitsForRoomAsTheEngineDoes) {
  Cluster cluster(Network(nodes_of(2)));
  for (std::uint64_t call = 0; call < kCells; ++call) cluster.cost(0).enter();
  cluster.clock().set(700);

  cluster.cost(1).enter();

  EXPECT_EQ(cluster.cost(0).end({}).real_ns, 700) << "rank 1 entered the first call only now";
}

TEST(NetworkCost, AnEndWaitsForThoseWhoTouchTheBuffers) {
  Cluster cluster(Network(nodes_of(2)));
  for (int rank : {0, 1}) cluster.cost(rank).enter();
  cluster.cost(1).fetch(0, 500);
  cluster.cost(1).record_step();

  const Wait theirs[] = {{1, 1}};

  EXPECT_EQ(cluster.cost(0).end({}).real_ns, 0);
  EXPECT_EQ(cluster.cost(0).end(theirs).real_ns, 500 + kLatencyNs);
}

// The healthy clock is that of a network without what is slow, for calls in the same order.
TEST(NetworkCost, KnowsHowLongACallTakesOnTheHealthyNetwork) {
  const NetworkPlan plan = nodes_of(4, 2);
  Network slow(plan);
  slow.slow_link(*slow.find_link("node3.nic.up"), {.factor = 4, .delay_us = 30});
  slow.slow_rank(1, {.factor = 2});
  const Groups groups = Groups::from_marks(std::vector{0, 0, 1, 1, 2, 2, 3, 3});
  const Problem problem = problem_of(OpKind::all_reduce, 8, groups);
  for (const Algorithm* algorithm : all_algorithms()) {
    if (algorithm->schedule == nullptr || !algorithm->defined(problem)) continue;
    for (const unsigned seed : {0U, 1U, 2U}) {
      Cluster healthy{Network(plan)};
      Cluster slowed{slow};

      const ModeledTime modeled = slowed.run_modeled_threads(*algorithm, problem, seed);

      EXPECT_EQ(modeled.healthy_ns, healthy.run(*algorithm, problem, seed)) << algorithm->name;
      EXPECT_GT(modeled.real_ns, modeled.healthy_ns) << algorithm->name;
    }
  }
}

TEST(NetworkCost, LosesNothingOnAHealthyNetworkHoweverLateTheMachineIs) {
  Cluster cluster(Network(nodes_of(2)));
  NetworkCost& cost = cluster.cost(1);
  cost.enter();
  cost.fetch(0, 1000);
  cluster.clock().set(10'000'000);

  cost.end_call({});

  EXPECT_EQ(cost.modeled_time().lost_ns(), 0);
}

TEST(NetworkCost, WhatIsLostAddsUpOverCallsAndBarriers) {
  Network network(nodes_of(2));
  network.slow_link(*network.find_link("node0.nic.up"), {.factor = 3});
  Cluster cluster(network);
  NetworkCost& cost = cluster.cost(1);
  const auto fetch_once = [&] {
    const ModeledTime entered = cost.begin();
    cost.last_until(cost.arrival(0, 1000, entered));
    cluster.clock().advance(1'000'000);
    cost.end_messages();
  };

  fetch_once();
  EXPECT_EQ(cost.modeled_time().lost_ns(), 2000);
  fetch_once();
  EXPECT_EQ(cost.modeled_time().lost_ns(), 4000)
      << "the healthy call began sooner by what the first had lost";
  cost.clear_debt();
  fetch_once();
  EXPECT_EQ(cost.modeled_time().lost_ns(), 6000);
}

}  // namespace
}  // namespace linerate::host