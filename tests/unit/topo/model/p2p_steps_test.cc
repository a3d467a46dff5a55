// What ranks send, against what each collective must give.
#include "collectives/traffic.h"
#include "topo/model/p2p_model.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>

namespace linerate::topo {
namespace {

constexpr std::size_t kPart = 16;  // elements of a rank's part, or of the whole where it has none

// What `to` must get from `from`, as a part of the row.
double wanted(const Collective& what, const RankGrid& ranks, int from, int to) {
  const Sizing sizing{.count = kPart, .rank = to, .nranks = ranks.nranks()};
  Oracle oracle({.rank = to, .root = 0});
  what.expect(oracle, sizing);
  std::size_t elements = 0;
  for (const auto& segment : oracle.segments())
    if (segment.source_rank == from && from != to) elements += segment.count;
  return static_cast<double>(elements) /
         static_cast<double>(row_bytes(what, sizing, DataType::int8));
}

// The same as a step has it, of the first node.
P2pStep step_of(const Collective& what, const RankGrid& ranks) {
  P2pStep step(ranks.gpus);
  for (int from = 0; from < ranks.nranks(); ++from)
    for (int to = 0; to < ranks.nranks(); ++to) {
      const double part = wanted(what, ranks, from, to);
      const int a = from % ranks.gpus, b = to % ranks.gpus;
      if (from < ranks.gpus && to < ranks.gpus)
        step.inside(a, b) += part;
      else if (from < ranks.gpus)
        step.out(a, b) += part;
      else if (to < ranks.gpus)
        step.in(a, b) += part;
    }
  return step;
}

void expect_alike(const P2pStep& one, const P2pStep& other, int gpus) {
  constexpr double kRounding = 1e-12;
  for (int a = 0; a < gpus; ++a)
    for (int b = 0; b < gpus; ++b) {
      EXPECT_NEAR(one.inside(a, b), other.inside(a, b), kRounding) << a << " to " << b;
      EXPECT_NEAR(one.out(a, b), other.out(a, b), kRounding) << a << " to " << b;
      EXPECT_NEAR(one.in(a, b), other.in(a, b), kRounding) << a << " to " << b;
    }
}

TEST(SendSteps, BringWhatEveryRankMustGet) {
  for (const std::string_view name : {"all_to_all", "gather", "scatter", "sendrecv"})
    for (const RankGrid ranks : {RankGrid{2, 1}, {4, 1}, {1, 2}, {1, 5}, {3, 3}, {4, 2}}) {
      SCOPED_TRACE(testing::Message() << name << " " << ranks.gpus << "x" << ranks.nnodes);
      const auto& what = *find_collective(name);

      const auto steps = p2p_steps(what, ranks);

      ASSERT_TRUE(steps && steps->size() == 1);
      expect_alike(steps->front(), step_of(what, ranks), ranks.gpus);
    }
}

TEST(SendSteps, OfAHypercubeBringAllPartsButTheOwn) {
  for (const RankGrid ranks : {RankGrid{8, 1}, {4, 4}, {1, 8}}) {
    const auto steps = p2p_steps(*find_collective("hypercube"), ranks);

    ASSERT_TRUE(steps);
    EXPECT_EQ(1 << steps->size(), ranks.nranks());
    double got = 0;
    for (const auto& step : *steps)
      for (int from = 0; from < ranks.gpus; ++from) got += step.inside(from, 0) + step.in(from, 0);
    EXPECT_DOUBLE_EQ(got, (ranks.nranks() - 1.0) / ranks.nranks());
  }
}

TEST(SendSteps, AreNoneOfOtherCollectivesAndOfRanksThatCannot) {
  EXPECT_FALSE(p2p_steps(*find_collective("all_reduce"), {8, 1}));
  EXPECT_FALSE(p2p_steps(*find_collective("all_to_all_v"), {8, 1}));
  EXPECT_FALSE(p2p_steps(*find_collective("hypercube"), {3, 1}));
  EXPECT_FALSE(p2p_steps(*find_collective("all_to_all"), {1, 1}));
}

// From a to b of four ranks: 16 * (1 + 4 a + b) bytes, each another.
TrafficMatrix counted_up() {
  std::string text;
  for (int from = 0; from < 4; ++from)
    for (int to = 0; to < 4; ++to)
      text += fmt::format("{}{}", 16 * (1 + 4 * from + to), to == 3 ? '\n' : ' ');
  return TrafficMatrix::parse(text, 4, 1).value();
}

TrafficMatrix matrix_of(std::string_view text, int nranks) {
  return TrafficMatrix::parse(text, nranks, 1).value();
}

Sizing sizing_of(const TrafficMatrix& traffic, int nranks) {
  return {.count = 1 << 20, .nranks = nranks, .traffic = &traffic, .type = DataType::float32};
}

double bytes(int from, int to) { return 16 * (1 + 4 * from + to); }

TEST(TrafficSteps, OfAMatrixAreOneForEachNode) {
  const auto traffic = counted_up();

  const auto steps = all_to_all_v_steps(sizing_of(traffic, 4), {.gpus = 2, .nnodes = 2});

  ASSERT_EQ(steps.size(), 2U);
  for (int node = 0; node < 2; ++node)
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 2; ++b) {
        const auto& step = steps[static_cast<std::size_t>(node)];
        const int here = 2 * node, there = 2 - here;
        EXPECT_EQ(step.inside(a, b), a == b ? 0 : bytes(here + a, here + b)) << node << a << b;
        EXPECT_EQ(step.out(a, b), bytes(here + a, there + b)) << node << a << b;
        EXPECT_EQ(step.in(a, b), bytes(there + a, here + b)) << node << a << b;
      }
}

TEST(TrafficSteps, AddUpThePeersOfANumberOnAllOtherNodes) {
  const auto traffic = counted_up();

  const auto steps = all_to_all_v_steps(sizing_of(traffic, 4), {.gpus = 1, .nnodes = 4});

  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[1].out(0, 0), bytes(1, 0) + bytes(1, 2) + bytes(1, 3));
  EXPECT_EQ(steps[1].in(0, 0), bytes(0, 1) + bytes(2, 1) + bytes(3, 1));
  EXPECT_EQ(steps[1].inside(0, 0), 0);
}

TEST(TrafficSteps, OfWeightedTrafficAreTheFirstNodes) {
  const auto traffic = TrafficMatrix::weighted(0, 4);

  const auto steps = all_to_all_v_steps(sizing_of(traffic, 4), {.gpus = 2, .nnodes = 2});

  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].inside(0, 1), 4 << 20);
  EXPECT_EQ(steps[0].out(0, 1), 4 << 20);
  EXPECT_EQ(steps[0].inside(0, 0), 0);
}

TEST(RanksThatKeepMost, AreThoseThatNoLinkTakesAsLongFor) {
  const auto even = TrafficMatrix::weighted(0, 2), near = TrafficMatrix::weighted(1, 2);
  const auto kept = matrix_of("0 32\n0 48\n", 2), lent = matrix_of("0 48\n0 48\n", 2);
  const auto alone = matrix_of("16 0\n0 0\n", 2);

  EXPECT_FALSE(keeps_most(sizing_of(even, 2)));
  EXPECT_TRUE(keeps_most(sizing_of(near, 2)));
  EXPECT_TRUE(keeps_most(sizing_of(kept, 2)));
  EXPECT_FALSE(keeps_most(sizing_of(lent, 2)));
  EXPECT_TRUE(keeps_most(sizing_of(alone, 2)));
}

// One rank may keep much while another one sends more.
TEST(RanksThatKeepMost, AreComparedWithAllRanks) {
  const auto others = matrix_of("64 0 0\n0 0 96\n0 0 0\n", 3);
  const auto gathered = matrix_of("64 0 0\n48 0 0\n48 0 0\n", 3);

  EXPECT_FALSE(keeps_most(sizing_of(others, 3)));
  EXPECT_FALSE(keeps_most(sizing_of(gathered, 3)));
}

}  // namespace
}  // namespace linerate::topo
