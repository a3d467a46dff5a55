// The search on simulated clusters: every fault is named, none is invented.
#include "simulator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace linerate::pairs {
namespace {

Score search_of(const ClusterOptions& options, const std::vector<Injected>& faults) {
  return searched(options, faults, 1);
}

constexpr ClusterOptions kSmall{.nnodes = 8, .nodes_per_leaf = 8};

TEST(PairSearch, FindsNothingOnAHealthyCluster) {
  for (const int nnodes : {3, 4, 5, 8, 33, 256}) {
    const auto score = search_of({.nnodes = nnodes}, {});
    EXPECT_EQ(score.invented, 0u) << nnodes << ": " << score.text();
  }
}

TEST(PairSearch, NamesASlowNodeAmongThreeAndMore) {
  for (const int nnodes : {3, 4, 5, 8, 33, 256}) {
    const auto score = search_of({.nnodes = nnodes}, {{.rank = 1, .share = 0.8}});
    EXPECT_EQ(score.named, 1u) << nnodes << ": " << score.text();
    EXPECT_EQ(score.invented, 0u) << nnodes << ": " << score.text();
  }
}

TEST(PairSearch, TellsOneRailFromTheNode) {
  ClusterOptions options{.nnodes = 16, .nrails = 4};

  const auto rail = search_of(options, {{.rank = 13, .share = 0.6}});
  const auto node = search_of(options, {{.kind = FaultKind::node, .rank = 12, .share = 0.6}});

  EXPECT_EQ(rail.named, 1u) << rail.text();
  EXPECT_EQ(rail.invented, 0u) << rail.text();
  EXPECT_EQ(node.named, 1u) << node.text();
  EXPECT_EQ(node.invented, 0u) << node.text();
}

// Measures what `gbps_of` says, where rank r is on nodes[r].
template <typename GbpsOf>
Outcome outcome_of(const std::vector<int>& nodes, GbpsOf gbps_of) {
  Search search(layout_of(nodes), {.seed = 3});
  while (const auto round = search.next()) {
    std::vector<Rate> rates;
    for (const auto& pair : *round) rates.push_back({pair, gbps_of(pair), gbps_of(pair)});
    search.take(rates);
  }
  return search.outcome();
}

// With a rank on each of so many rails of so many nodes.
template <typename GbpsOf>
std::vector<Fault> faults_of(int nnodes, int nrails, GbpsOf gbps_of) {
  std::vector<int> nodes;
  for (int node = 0; node < nnodes; ++node)
    nodes.insert(nodes.end(), static_cast<std::size_t>(nrails), node);
  return outcome_of(nodes, gbps_of).faults;
}

TEST(PairSearch, NamesARailThatIsSlowOnAllNodesOnce) {
  const auto faults = faults_of(8, 2, [](Pair pair) { return pair.first % 2 == 1 ? 8.0 : 10.0; });

  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, FaultKind::rail);
  EXPECT_EQ(faults[0].rail, 1);
  EXPECT_EQ(faults[0].ranks.size(), 8u);
}

TEST(PairSearch, NamesNoRailWhereSomeOfItsRanksAreFine) {
  const auto faults = faults_of(8, 2, [](Pair pair) {
    const bool slow = pair.first % 2 == 1 && pair.first < 6 && pair.second < 12;
    return slow ? 9.3 : 10.0;
  });

  for (const auto& fault : faults) EXPECT_NE(fault.kind, FaultKind::rail);
}

// Four of the nodes have a second rank, and hardly a round pairs two of them.
TEST(PairSearch, AccusesNoRailWhoseRanksHadNoPartner) {
  std::size_t most = 0;
  for (const int first : {0, 1, 2, 3}) {
    std::vector<int> nodes;
    for (int node = 0; node < 256; ++node)
      nodes.insert(nodes.end(), node % 64 == first ? 2 : 1, node);

    const auto outcome = outcome_of(nodes, [](Pair) { return 0.1; });

    EXPECT_THAT(outcome.faults, testing::IsEmpty()) << first;
    most = std::max(most, outcome.not_measured);
  }
  EXPECT_EQ(most, 4u);
}

TEST(PairSearch, NamesAnIntermittentNode) {
  const auto score = search_of(kSmall, {{.rank = 5, .share = 0.6, .often = 0.75}});

  EXPECT_EQ(score.named, 1u) << score.text();
  EXPECT_EQ(score.invented, 0u) << score.text();
}

// One pair of few nodes, measured at the speeds given.
TEST(PairSearch, NamesALinkWhoseEndsAreFineWithOthers) {
  for (const int nnodes : {3, 4, 6, 9}) {
    const auto faults = faults_of(nnodes, 1, [](Pair pair) {
      return pair == Pair{0, 2} ? 6.0 : 10.0;
    });

    ASSERT_EQ(faults.size(), 1u) << nnodes;
    EXPECT_EQ(faults[0].kind, FaultKind::link) << nnodes;
    EXPECT_THAT(faults[0].ranks, testing::ElementsAre(0, 2));
  }
}

}  // namespace
}  // namespace linerate::pairs
