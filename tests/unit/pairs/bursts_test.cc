// Searches on hosts that other programs use, too: what is slow for a while is no fault. PAIRS_SEEDS
// says how many; each case prints a row, whose sums are in docs/bad-nodes.md.
#include "simulator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>

namespace linerate::pairs {
namespace {

unsigned searches_of_each() {
  constexpr unsigned kFew = 200;
  const char* asked = std::getenv("PAIRS_SEEDS");
  return asked == nullptr ? kFew : static_cast<unsigned>(std::stoul(asked));
}

struct Sum {
  std::size_t searches = 0, bad = 0, named = 0, invented = 0, slots = 0;
  std::array<std::size_t, 4> of_kind{};  // by FaultKind

  void add(const Score& score) {
    ++searches;
    bad += score.there;
    named += score.named;
    invented += score.invented > 0 ? 1 : 0;
    slots += score.slots;
    for (const auto& fault : score.wrong) ++of_kind[static_cast<std::size_t>(fault.kind)];
  }
};

constexpr std::array<std::pair<int, int>, 5> kNodesAndRails{
    {{8, 1}, {4, 2}, {8, 2}, {16, 4}, {64, 1}}};

// With bursts so often, of all layouts: each with no fault, and with one rank at half of its rate.
Sum sum_of(double often) {
  Sum sum;
  for (const auto& [nnodes, nrails] : kNodesAndRails) {
    const ClusterOptions options{.nnodes = nnodes, .nrails = nrails, .bursts = {.often = often}};
    for (const bool bad : {false, true}) {
      Sum row;
      for (unsigned seed = 1; seed <= searches_of_each(); ++seed) {
        std::vector<Injected> faults;
        if (bad) faults.push_back({.rank = (nnodes - 1) * nrails - 1, .share = 0.5});
        const auto score = searched(options, faults, seed);
        row.add(score);
        sum.add(score);
      }
      fmt::print("| {} x {} | {} | {} of {} | {} of {}: {} | {} |\n", nnodes, nrails, often,
                 row.named, row.bad, row.invented, row.searches, fmt::join(row.of_kind, " "),
                 row.slots / row.searches);
    }
  }
  return sum;
}

// Four nodes have few controls: of 1,000 searches among them one misses the rank.
TEST(Bursts, AreNeededForAMistake) {
  const auto sum = sum_of(0);

  EXPECT_GE(sum.named, sum.bad * 999 / 1000);
  EXPECT_EQ(sum.invented, 0u);
}

// A host that is disturbed for a tenth, and for a quarter of the time.
TEST(Bursts, HardlyEverInventAFault) {
  for (const double often : {0.01, 0.03}) {
    const auto sum = sum_of(often);

    EXPECT_LE(sum.invented, sum.searches * 6 / 1000) << often;
    EXPECT_GE(sum.named, sum.bad * 9 / 10) << often;
  }
}

// For half of the time.
TEST(Bursts, SeldomInventAFaultOnABusyHost) {
  const auto sum = sum_of(0.1);

  EXPECT_LE(sum.invented, sum.searches * 25 / 1000);
  EXPECT_GE(sum.named, sum.bad * 7 / 10);
}

// Nodes with two ranks each. Rank 7 is slow, and its rail for as long as the matchings take once: 7
// pairs alone, 15 slots until pairs are undisturbed, and then 8 times 8.
TEST(Bursts, OfARailAreNoFaultOfTheRail) {
  std::vector<int> nodes;
  for (int rank = 0; rank < 16; ++rank) nodes.push_back(rank / 2);
  Search search(layout_of(nodes), {.seed = 3});
  int slots = 0;

  while (const auto round = search.next()) {
    ++slots;
    std::vector<Rate> rates;
    for (const auto& pair : *round) {
      const bool slow = pair.first == 7 || pair.second == 7;
      const bool burst = pair.first % 2 == 1 && slots <= 78;
      rates.push_back({pair, slow ? 5.0 : burst ? 6.0 : 10.0, 10});
    }
    search.take(rates);
  }

  const auto faults = search.outcome().faults;
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, FaultKind::rank);
  EXPECT_THAT(faults[0].ranks, testing::ElementsAre(7));
}

}  // namespace
}  // namespace linerate::pairs
