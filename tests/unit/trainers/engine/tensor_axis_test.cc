// Sums over tensor-parallel ranks: the same bits on any of them in canonical mode, whole or in
// parts.
#include "trainers/engine/tensor_axis.h"

#include "unit/trainers/engine/axis_fixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace linerate::trainers {
namespace {

constexpr std::size_t kTerms = 8, kElements = 64;
using Floats = std::vector<float>;

float term_of(std::size_t leaf, std::size_t element) {
  return 1.0F / static_cast<float>(1 + (element * 31 + leaf * 17) % 97);
}

// What each rank ends with; in fast mode each has one leaf, the sum of its terms.
std::vector<Floats> on_axis(std::size_t nranks, bool in_order,
                            const std::function<Block(TensorAxis&, RankTools&)>& body) {
  std::vector<Floats> values(nranks);
  on_ranks(static_cast<int>(nranks), [&](RankTools& rank) {
    const auto own = static_cast<std::size_t>(rank.axis.rank());
    const TensorShare share{.leaves = in_order ? kTerms : nranks,
                            .rank = own,
                            .nranks = nranks,
                            .in_order = in_order,
                            .splits_rows = true};
    TensorAxis axis(share, nranks > 1 ? &rank.axis : nullptr, rank.tools.math, rank.arena);
    const auto result = body(axis, rank);
    rank.axis.stream().synchronize(Deadline::never());
    values[own] = values_of(result);
  });
  return values;
}

TensorParallel::Term terms_of(const TensorAxis& axis) {
  return [&share = axis.share()](std::size_t leaf, Array to) {
    const auto each = kTerms / share.leaves, first = (share.first() + leaf) * each;
    auto* const values = reinterpret_cast<float*>(to.data);
    for (std::size_t i = 0; i < kElements; ++i) {
      values[i] = 0;
      for (auto term = first; term < first + each; ++term) values[i] += term_of(term, i);
    }
  };
}

std::vector<Floats> sums(std::size_t nranks, bool in_order) {
  return on_axis(nranks, in_order, [](TensorAxis& axis, RankTools& rank) {
    auto sum = block_of(rank, Floats(kElements));
    axis.sum(sum.array(DataType::float32), kElements, TensorSum::forward, terms_of(axis),
             rank.tools.compute);
    return sum;
  });
}

std::vector<Floats> scattered(std::size_t nranks, bool in_order) {
  return on_axis(nranks, in_order, [&](TensorAxis& axis, RankTools& rank) {
    auto part = block_of(rank, Floats(kElements / nranks));
    axis.sum_scattered(part.array(DataType::float32), kElements, TensorSum::forward, terms_of(axis),
                       rank.tools.compute);
    return part;
  });
}

Floats joined(const std::vector<Floats>& parts) {
  Floats all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

TEST(TensorAxis, AddsUpToTheSameBitsOnAnyRanksInCanonicalMode) {
  const auto one = sums(1, true).front();
  for (const std::size_t nranks : {2, 4, 8}) {
    for (const auto& sum : sums(nranks, true)) EXPECT_EQ(sum, one) << nranks;
    EXPECT_EQ(joined(scattered(nranks, true)), one) << nranks;
  }
}

TEST(TensorAxis, AddsUpWithinRoundingInFastMode) {
  const auto one = sums(1, true).front();
  for (const std::size_t nranks : {2, 4}) {
    const auto all = sums(nranks, false);
    for (const auto& sum : all) EXPECT_EQ(sum, all.front());
    const auto parts = joined(scattered(nranks, false));
    for (std::size_t i = 0; i < kElements; ++i) {
      EXPECT_NEAR(all.front()[i], one[i], 1e-6);
      EXPECT_NEAR(parts[i], one[i], 1e-6);
    }
  }
}

TEST(TensorAxis, GathersTheRanksPartsInTheirOrder) {
  const auto all = on_axis(4, false, [](TensorAxis& axis, RankTools& rank) {
    const auto part = block_of(rank, Floats(3, static_cast<float>(rank.axis.rank())));
    auto whole = block_of(rank, Floats(12));
    axis.gather(whole.array(DataType::float32), part.array(DataType::float32), 12,
                rank.tools.compute);
    rank.axis.stream().synchronize(Deadline::never());
    return whole;
  });
  for (const auto& whole : all) EXPECT_EQ(whole, (Floats{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}));
}

TEST(TensorAxis, HasTheLargestOfAllRanks) {
  const auto all = on_axis(3, false, [](TensorAxis& axis, RankTools& rank) {
    const auto own = static_cast<float>(rank.axis.rank());
    auto most = block_of(rank, {own, -own, own == 1 ? 7.0F : -1.0F});
    axis.all_reduce_max(most.array(DataType::float32), 3, rank.tools.compute);
    return most;
  });
  for (const auto& most : all) EXPECT_EQ(most, (Floats{2, 0, 7}));
}

}  // namespace
}  // namespace linerate::trainers
