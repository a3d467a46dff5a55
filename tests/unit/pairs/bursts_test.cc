// Searches on hosts that other programs use, too: what is slow for a while is no fault. PAIRS_SEEDS
// says how many; each case prints a row, whose sums are in docs/bad-nodes.md.
#include "simulator.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
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

struct Level {
  double often = 0;     // that a burst begins
  double invented = 0;  // share of the searches that invent a fault, in docs/bad-nodes.md
  double most = 0;      // share of them, however few searches there are
  double named = 0;     // share of the ranks, at least
};
constexpr std::array<Level, 3> kLevels{
    {{0.01, 0.0005, 0.006, 0.9}, {0.03, 0.0038, 0.006, 0.9}, {0.1, 0.0174, 0.025, 0.7}}};
constexpr double kRails = 11.0 / 30'000;  // of all searches of that table

// So many are hardly ever found by chance: four standard deviations of a Poisson count more than
// expected.
double most_by_chance(double expected) { return expected + 4 * std::sqrt(expected); }

// Hosts that are disturbed for a tenth, a quarter and half of the time.
TEST(Bursts, SeldomInventAFault) {
  std::size_t searches = 0, rails = 0;
  for (const auto& level : kLevels) {
    const auto sum = sum_of(level.often);
    const auto n = static_cast<double>(sum.searches);

    EXPECT_LE(static_cast<double>(sum.invented),
              std::min(most_by_chance(level.invented * n), level.most * n))
        << level.often;
    EXPECT_GE(static_cast<double>(sum.named), level.named * static_cast<double>(sum.bad))
        << level.often;
    searches += sum.searches;
    rails += sum.of_kind[static_cast<std::size_t>(FaultKind::rail)];
  }
  EXPECT_LE(static_cast<double>(rails), most_by_chance(kRails * static_cast<double>(searches)));
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
