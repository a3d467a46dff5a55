// How parameters are cut into buckets and shards.
#include "trainers/engine/buckets.h"

#include "trainers/engine/plan.h"
#include "trainers/engine/shards.h"

#include <gtest/gtest.h>

namespace linerate::trainers {
namespace {

ParameterTable nano() { return parameters_of(*model_named("nano")); }

TEST(FlatLayout, SplitsEachUnitEvenlyAmongShards) {
  const auto table = nano();
  for (const std::size_t shards : {1, 2, 3, 5, 8}) {
    const auto layout = flat_layout(table, shards);
    for (std::size_t unit = 0; unit < table.units(); ++unit) {
      EXPECT_EQ(layout.padded(unit) % shards, 0u);
      EXPECT_GE(layout.padded(unit), table.unit_counts[unit]);
      EXPECT_LT(layout.padded(unit), table.unit_counts[unit] + 16 * shards);
    }
  }
}

TEST(BucketsOfParameters, HoldEachParameterOnceInReverseOrder) {
  const auto table = nano();
  const auto layout = flat_layout(table, 1);

  const auto buckets =
      buckets_of_parameters(table, layout, {.first_bytes = 1 << 18, .bytes = 1 << 20}, 4);

  std::vector<std::size_t> order;
  for (const auto& bucket : buckets)
    order.insert(order.end(), bucket.parameters.begin(), bucket.parameters.end());
  ASSERT_EQ(order.size(), table.parameters.size());
  EXPECT_TRUE(std::is_sorted(order.rbegin(), order.rend()));
  EXPECT_LT(buckets.front().count(), buckets[1].count());
  EXPECT_GE(buckets[1].count() * 4, 1u << 20);
  EXPECT_EQ(buckets.back().begin, 0u);
}

TEST(BucketsOfParameters, TouchNoOthersElements) {
  const auto table = nano();
  const auto layout = flat_layout(table, 3);
  auto buckets = buckets_of_parameters(table, layout, {.first_bytes = 0, .bytes = 0}, 4);

  ASSERT_EQ(buckets.size(), table.parameters.size());
  for (std::size_t i = 1; i < buckets.size(); ++i) EXPECT_LE(buckets[i].end, buckets[i - 1].begin);
}

TEST(BucketsOfUnits, AreTheUnitsWhereThereIsNoCap) {
  const auto table = nano();
  const auto layout = flat_layout(table, 2);

  const auto buckets = buckets_of_units(table, layout, {.first_bytes = 0, .bytes = 0}, 4);

  ASSERT_EQ(buckets.size(), table.units());
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    const auto unit = table.units() - 1 - i;
    EXPECT_EQ(buckets[i].begin, layout.begin[unit]);
    EXPECT_EQ(buckets[i].end, layout.begin[unit + 1]);
  }
}

TEST(ParameterSlices, OfAllRanksAreAllParametersOnce) {
  const TrainConfig config{.model = *model_named("nano"), .stage = Stage::optimizer};
  for (const std::size_t nranks : {1, 2, 3, 7}) {
    const auto table = table_of(config, position_of(config, 0, static_cast<int>(nranks)));
    const auto layout = flat_layout(table, nranks);
    const auto buckets = buckets_of_units(table, layout, {.bytes = 1 << 20}, 4);
    std::vector<std::size_t> seen(table.parameters.size(), 0);
    for (std::size_t rank = 0; rank < nranks; ++rank)
      for (const auto& slice : slices_of(table, layout, owned_of(table, layout, buckets, rank)))
        seen[slice.parameter] += slice.count;
    for (std::size_t i = 0; i < seen.size(); ++i)
      EXPECT_EQ(seen[i], table.parameters[i].count()) << table.parameters[i].name;
  }
}

}  // namespace
}  // namespace linerate::trainers
