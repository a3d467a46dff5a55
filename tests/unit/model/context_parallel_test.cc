// Who has which positions, that the closed forms are those of the literature, and what is refused.
#include "model/context_parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace linerate {
namespace {

TEST(SequenceSplit, GivesEachPositionToOneRank) {
  for (const bool zigzag : {false, true})
    for (const std::size_t ranks : {1, 2, 3, 4}) {
      const SequenceSplit split{.length = 24, .ranks = ranks, .zigzag = zigzag};
      std::set<std::int32_t> seen;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const auto positions = split.positions(rank);
        EXPECT_EQ(positions.size(), split.local_length());
        EXPECT_TRUE(std::ranges::is_sorted(positions));
        seen.insert(positions.begin(), positions.end());
      }
      EXPECT_EQ(seen.size(), 24u);
      EXPECT_EQ(*seen.rbegin(), 23);
    }
}

TEST(SequenceSplit, ZigZagPairsTheFirstChunkWithTheLast) {
  const SequenceSplit split{.length = 8, .ranks = 2};

  EXPECT_EQ(split.positions(0), (std::vector<std::int32_t>{0, 1, 6, 7}));
  EXPECT_EQ(split.positions(1), (std::vector<std::int32_t>{2, 3, 4, 5}));
  for (std::size_t i = 0; i < split.chunks(); ++i) {
    const auto chunk = split.chunk(i);
    EXPECT_EQ(split.chunk_at(chunk.rank, chunk.slot).index, i);
  }
}

// Of the pairs of one rank, the largest number over the mean.
double imbalance(bool zigzag, std::size_t ranks) {
  const SequenceSplit split{.length = 8192, .ranks = ranks, .zigzag = zigzag};
  std::vector<std::uint64_t> pairs;
  for (std::size_t rank = 0; rank < ranks; ++rank) pairs.push_back(attention_pairs(split, rank));
  const auto sum = std::accumulate(pairs.begin(), pairs.end(), std::uint64_t{0});
  EXPECT_EQ(sum, 8192u * 8193 / 2);
  return static_cast<double>(*std::ranges::max_element(pairs)) * static_cast<double>(ranks) /
         static_cast<double>(sum);
}

TEST(AttentionPairs, AreBalancedByZigZagAlone) {
  for (const std::size_t ranks : {2, 4, 8}) {
    const auto n = static_cast<double>(ranks);
    EXPECT_NEAR(imbalance(false, ranks), (2 * n - 1) / n, 1e-3);
    EXPECT_EQ(imbalance(true, ranks), 1);
    RecordProperty("plain_max_over_mean_of_" + std::to_string(ranks),
                   std::to_string(imbalance(false, ranks)));
  }
}

ContextLayout layout_of(std::size_t ranks, bool zigzag, bool exchanges_heads, std::size_t leaves) {
  return {.split = {.length = 64, .ranks = ranks, .zigzag = zigzag},
          .exchanges_heads = exchanges_heads,
          .leaves = leaves,
          .batch = 3,
          .heads = 8,
          .kv_heads = 4,
          .head = 16,
          .element = 4};
}

TEST(ContextBytes, OfTheRingAreTwoForwardAndFourBackward) {
  for (const bool zigzag : {false, true})
    for (const std::uint64_t c : {1, 2, 4}) {
      const auto bytes = context_bytes(layout_of(c, zigzag, false, 0), 0);
      const auto unit = (c - 1) * 3 * (64 / c) * (4 * 16) * 4;
      EXPECT_EQ(bytes, (ContextBytes{2 * unit, 4 * unit}));
    }
}

TEST(ContextBytes, OfUlyssesAreEightExchanges) {
  for (const std::uint64_t c : {1, 2, 4}) {
    auto layout = layout_of(c, true, true, 0);
    layout.kv_heads = layout.heads;
    const auto unit = 3 * 64 * (8 * 16) / c * 4 * (c - 1) / c;
    EXPECT_EQ(context_bytes(layout, 0), (ContextBytes{4 * unit, 4 * unit}));
  }
}

// Each leaf sends to each other rank what it sees of that one's chunks.
TEST(ContextBytes, OfCanonicalModeGrowWithTheLeaves) {
  const auto layout = layout_of(4, false, false, 8);
  const std::uint64_t chunk = 2 * 3 * 16 * (4 * 16) * 4;
  for (std::size_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(context_bytes(layout, rank), (ContextBytes{3 * chunk, 3 * chunk + 2 * rank * chunk}));
  for (std::size_t rank = 0; rank < 4; ++rank)
    EXPECT_EQ(context_bytes(layout_of(4, true, false, 8), rank).backward,
              3 * chunk + 6 * chunk / 2);
}

TEST(ContextLayout, IsRefusedWhereSomethingDoesNotDivide) {
  const auto sentence = [](const ContextLayout& layout) {
    const auto failure = refusal(layout);
    return failure ? failure->sentence : std::string();
  };
  auto odd_length = layout_of(3, true, false, 0), few_heads = layout_of(8, false, true, 0);

  EXPECT_EQ(sentence(layout_of(4, true, false, 8)), "");
  EXPECT_EQ(sentence(odd_length),
            "The length of sequences must be a multiple of 6 chunks (two for each rank of context "
            "parallelism): it is 64.");
  EXPECT_EQ(sentence(few_heads),
            "The number of key and value heads must be a multiple of 8 ranks of context "
            "parallelism: it is 4.");
  EXPECT_EQ(
      sentence(layout_of(4, true, false, 4)),
      "The number of leaves of attention must be a multiple of 8 chunks (two for each rank of "
      "context parallelism): it is 4.");
  EXPECT_EQ(sentence(layout_of(4, true, true, 4)), "");
  EXPECT_EQ(sentence(layout_of(2, true, false, 12)),
            "The length of sequences must be a multiple of 12 leaves of attention: it is 64.");
}

}  // namespace
}  // namespace linerate
