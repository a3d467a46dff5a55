// Properties of the sampler that hold for every number of ranks, and for every step.
#include "trainers/data/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

namespace linerate::trainers {
namespace {

using Ids = std::vector<std::uint64_t>;

Ids of_step(const Sampler& sampler, std::uint64_t step) {
  Ids ids;
  for (std::uint64_t index = 0; index < sampler.batch; ++index)
    ids.push_back(sampler.sequence(step, index));
  return ids;
}

Ids of_ranks(const Sampler& sampler, std::uint64_t step, int nranks) {
  Ids ids;
  for (int rank = 0; rank < nranks; ++rank) {
    const auto share = share_of(sampler.batch, rank, nranks);
    for (auto index = share.first; index < share.first + share.count; ++index)
      ids.push_back(sampler.sequence(step, index));
  }
  return ids;
}

Ids counted_up(std::uint64_t count) {
  Ids ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

Ids sorted(Ids ids) {
  std::ranges::sort(ids);
  return ids;
}

Ids permutation(std::uint64_t count, std::uint64_t key) {
  auto ids = counted_up(count);
  for (auto& id : ids) id = permuted(id, count, key);
  return ids;
}

TEST(Share, IsOneMoreForTheFirstRanks) {
  EXPECT_EQ(share_of(7, 0, 3), (Share{.first = 0, .count = 3}));
  EXPECT_EQ(share_of(7, 1, 3), (Share{.first = 3, .count = 2}));
  EXPECT_EQ(share_of(7, 2, 3), (Share{.first = 5, .count = 2}));
  EXPECT_EQ(share_of(2, 3, 4), (Share{.first = 2, .count = 0}));
}

TEST(Sampler, ReadsTheSameOnAnyNumberOfRanks) {
  for (const std::uint64_t batch : {1, 3, 8, 13, 64}) {
    const Sampler sampler{.seed = 3, .sequences = 101, .batch = batch};
    for (std::uint64_t step = 0; step * batch < 2 * 101; ++step)
      for (int nranks = 1; nranks <= 8; ++nranks)
        EXPECT_EQ(of_ranks(sampler, step, nranks), of_step(sampler, step));
  }
}

TEST(Sampler, ReadsEachSequenceOnceAnEpoch) {
  const Sampler sampler{.seed = 3, .sequences = 101, .batch = 8};

  Ids ids;
  for (std::uint64_t step = 0; step * 8 < 3 * 101; ++step)
    std::ranges::copy(of_step(sampler, step), std::back_inserter(ids));

  for (std::ptrdiff_t epoch = 0; epoch < 3; ++epoch) {
    const auto begin = ids.begin() + 101 * epoch;
    EXPECT_EQ(sorted(Ids(begin, begin + 101)), counted_up(101));
  }
  EXPECT_NE(Ids(ids.begin(), ids.begin() + 101), Ids(ids.begin() + 101, ids.begin() + 202));
}

TEST(Sampler, GoesOnIntoTheNextEpochWithinAStep) {
  const Sampler sampler{.sequences = 5, .batch = 10};

  EXPECT_EQ(sorted(of_step(sampler, 1'000'000)), (Ids{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}));
}

TEST(Sampler, CountsUpWithoutEnd) {
  const Sampler sampler{.batch = 3};

  EXPECT_EQ(of_step(sampler, 4), (Ids{12, 13, 14}));
}

TEST(Sampler, ResumesFromTheStepAlone) {
  const Sampler before{.seed = 9, .sequences = 1000, .batch = 7};
  Ids ids;
  for (std::uint64_t step = 0; step < 300; ++step) ids = of_step(before, step);

  const Sampler resumed{.seed = 9, .sequences = 1000, .batch = 7};

  EXPECT_EQ(of_step(resumed, 299), ids);
}

TEST(Sampler, ReadsAnotherOrderWithAnotherSeed) {
  const Sampler one{.seed = 1, .sequences = 1000, .batch = 16};
  const Sampler other{.seed = 2, .sequences = 1000, .batch = 16};

  EXPECT_NE(of_step(one, 0), of_step(other, 0));
}

TEST(Permutation, HoldsEachNumberOnce) {
  for (std::uint64_t count = 1; count <= 300; ++count)
    EXPECT_EQ(sorted(permutation(count, count)), counted_up(count)) << count;
  for (const std::uint64_t count : {4095, 4096, 4097, 100'003})
    EXPECT_EQ(sorted(permutation(count, 1)), counted_up(count)) << count;
}

TEST(Permutation, IsDefinedForAnyCount) {
  constexpr auto kMost = ~std::uint64_t{0};

  EXPECT_LT(permuted(0, kMost, 1), kMost);
  EXPECT_NE(permuted(0, kMost, 1), permuted(1, kMost, 1));
  EXPECT_EQ(permuted(0, 1, 7), 0u);
}

// Over many keys, each number gets to each place about as often: 16 cells of 1000 expected each;
// chi squared of 225 degrees of freedom.
TEST(Permutation, PrefersNoPlace) {
  constexpr std::uint64_t kCount = 16, kKeys = 16'000;
  std::vector<double> found(kCount * kCount);
  for (std::uint64_t key = 0; key < kKeys; ++key)
    for (std::uint64_t index = 0; index < kCount; ++index)
      found[index * kCount + permuted(index, kCount, key)] += 1;

  double distance = 0;
  for (const auto count : found) distance += (count - 1000) * (count - 1000) / 1000;

  EXPECT_LT(distance, 225 + 5 * std::sqrt(2 * 225.0));
}

TEST(Permutation, PartsNeighbours) {
  constexpr std::uint64_t kCount = 10'000;
  const auto ids = permutation(kCount, 42);

  std::uint64_t near = 0;
  for (std::size_t i = 1; i < ids.size(); ++i)
    near += ids[i] - ids[i - 1] + 10 <= 20 ? 1 : 0;  // within 10, wrapped

  EXPECT_LT(near, 50u);  // 20 expected
}

}  // namespace
}  // namespace linerate::trainers
