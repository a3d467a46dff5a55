// The chain's entropy beside one computed in another way, and beside what its tokens show.
#include "trainers/data/markov.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace linerate::trainers {
namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix transitions(const MarkovSource& source) {
  Matrix matrix(source.vocabulary(), std::vector<double>(source.vocabulary()));
  for (std::size_t from = 0; from < source.vocabulary(); ++from) {
    const auto next = source.successors(from);
    const auto shares = source.probabilities(from);
    for (std::size_t i = 0; i < next.size(); ++i)
      matrix[from][static_cast<std::size_t>(next[i])] += shares[i];
  }
  return matrix;
}

// By elimination of one state after the other (Grassmann, Taksar & Heyman 1985): no subtraction, so
// that every figure of the result is right.
std::vector<double> eliminated(Matrix p) {
  const auto states = p.size();
  for (std::size_t last = states - 1; last > 0; --last) {
    double leaves = 0;
    for (std::size_t to = 0; to < last; ++to) leaves += p[last][to];
    for (std::size_t from = 0; from < last; ++from) p[from][last] /= leaves;
    for (std::size_t from = 0; from < last; ++from)
      for (std::size_t to = 0; to < last; ++to) p[from][to] += p[from][last] * p[last][to];
  }
  std::vector<double> stationary(states);
  double sum = stationary[0] = 1;
  for (std::size_t state = 1; state < states; ++state) {
    for (std::size_t from = 0; from < state; ++from)
      stationary[state] += stationary[from] * p[from][state];
    sum += stationary[state];
  }
  for (auto& share : stationary) share /= sum;
  return stationary;
}

class Chain : public testing::TestWithParam<std::size_t> {
 protected:
  const MarkovSource source_{{.vocabulary = GetParam(), .length = 1000, .seed = 5}};
};

TEST_P(Chain, HasTheEntropyOfItsTransitions) {
  const auto matrix = transitions(source_);
  const auto stationary = eliminated(matrix);

  double entropy = 0;
  for (std::size_t from = 0; from < matrix.size(); ++from)
    for (const auto p : matrix[from])
      if (p > 0) entropy -= stationary[from] * p * std::log(p);

  EXPECT_NEAR(*source_.entropy(), entropy, 1e-12);
  for (std::size_t token = 0; token < stationary.size(); ++token)
    EXPECT_NEAR(source_.stationary()[token], stationary[token], 1e-13);
}

TEST_P(Chain, HasRowsOfDistinctSuccessors) {
  for (std::size_t token = 0; token < source_.vocabulary(); ++token) {
    const auto next = source_.successors(token);
    const auto shares = source_.probabilities(token);

    EXPECT_EQ(std::set<std::int32_t>(next.begin(), next.end()).size(),
              std::min(GetParam(), MarkovSource::kSuccessors));
    double sum = 0;
    for (const auto share : shares) {
      EXPECT_GT(share, 0);
      sum += share;
    }
    EXPECT_NEAR(sum, 1, 1e-15);
  }
}

// The mean of -log p over what is drawn, which is what a perfect model's loss is: within five of
// its standard errors, of tokens that are nearly independent.
TEST_P(Chain, DrawsTokensOfThisEntropy) {
  const auto matrix = transitions(source_);
  constexpr int kDrawn = 300;

  double sum = 0, squares = 0;
  std::vector<std::int32_t> tokens(source_.length() + 1);
  for (std::uint64_t sequence = 0; sequence < kDrawn; ++sequence) {
    source_.tokens(sequence, tokens);
    for (std::size_t i = 0; i < source_.length(); ++i) {
      const auto from = static_cast<std::size_t>(tokens[i]);
      const auto p = matrix[from][static_cast<std::size_t>(tokens[i + 1])];
      ASSERT_GT(p, 0);
      sum -= std::log(p);
      squares += std::log(p) * std::log(p);
    }
  }

  const auto count = static_cast<double>(kDrawn * source_.length());
  const auto error = std::sqrt((squares / count - sum / count * sum / count) / count);
  EXPECT_NEAR(sum / count, *source_.entropy(), 5 * error);
  EXPECT_LT(5 * error, 0.02);
}

// What every position of a sequence shows, the first one too.
TEST_P(Chain, BeginsAsItGoesOn) {
  std::vector<double> first(source_.vocabulary());
  std::vector<std::int32_t> tokens(1);
  constexpr int kDrawn = 100'000;

  for (std::uint64_t sequence = 0; sequence < kDrawn; ++sequence) {
    source_.tokens(sequence, tokens);
    first[static_cast<std::size_t>(tokens[0])] += 1;
  }

  double distance = 0;  // chi squared, of vocabulary - 1 degrees of freedom
  for (std::size_t token = 0; token < first.size(); ++token) {
    const auto expected = kDrawn * source_.stationary()[token];
    distance += (first[token] - expected) * (first[token] - expected) / expected;
  }
  const auto freedom = static_cast<double>(first.size() - 1);
  EXPECT_LT(distance, freedom + 5 * std::sqrt(2 * freedom) + 5);
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, Chain, testing::Values(2, 3, 8, 9, 37, 256));

TEST(Markov, IsLearntFromAFewSuccessors) {
  const MarkovSource source({.vocabulary = 50304, .length = 8});

  EXPECT_GT(*source.entropy(), 1.5);
  EXPECT_LT(*source.entropy(), std::log(8.0));
}

}  // namespace
}  // namespace linerate::trainers
