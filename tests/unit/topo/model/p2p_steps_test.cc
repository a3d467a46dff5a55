// What ranks send, against what each collective must give.
#include "topo/model/p2p_steps.h"

#include <gtest/gtest.h>

#include <numeric>

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

}  // namespace
}  // namespace linerate::topo
