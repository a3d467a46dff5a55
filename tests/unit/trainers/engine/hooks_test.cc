// What hooks send of gradients: against plain sums, and nothing is lost for ever.
#include "trainers/engine/hooks.h"

#include "comm/float_types.h"
#include "model/training_bytes.h"
#include "unit/trainers/engine/axis_fixture.h"
#include "unit/trainers/engine/tiny_training.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>

namespace linerate::trainers {
namespace {

// A table of which only the size of the flat array matters.
struct FlatPlan {
  ParameterTable table = parameters_of(tiny_training().model);
  FlatLayout layout = flat_layout(table, 1);
  GradientPlan plan{.table = table,
                    .layout = layout,
                    .buckets = buckets_of_units(table, layout, {.bytes = 0}, sizeof(float))};
};

std::vector<float> normal_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 100);
  std::vector<float> values(count);
  for (auto& value : values) value = normal(random);
  return values;
}

template <typename Narrow>
void expect_narrow_sum_of_two_ranks(Hook hook, float factor) {
  FlatPlan flat;
  flat.plan.hook = {.hook = hook, .fp16_factor = factor};
  const auto& bucket = flat.plan.buckets.front();
  const auto a = normal_values(bucket.count(), 1), b = normal_values(bucket.count(), 2);
  std::vector<float> expected(bucket.count());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto narrow = [&](float value) { return static_cast<float>(Narrow(value * factor)); };
    expected[i] = static_cast<float>(Narrow(narrow(a[i]) + narrow(b[i]))) / factor;
  }
  on_ranks(2, [&](RankTools& rank) {
    const auto gradients = block_of(rank, rank.axis.rank() == 0 ? a : b);
    const auto sync = make_hook(flat.plan, make_sync(Sync::all_reduce, rank.tools), rank.tools);

    sync->reduce(bucket, gradients.array(DataType::float32));
    rank.axis.stream().synchronize(Deadline::never());

    EXPECT_EQ(values_of(gradients), expected);
    EXPECT_EQ(rank.axis.comm().bytes().begin()->second, 2 * bucket.count());
  });
}

TEST(NarrowHooks, SumWhatIsRoundedTo16Bits) {
  expect_narrow_sum_of_two_ranks<Half>(Hook::fp16, 0.0625F);
  expect_narrow_sum_of_two_ranks<BFloat16>(Hook::bf16, 1);
}

// Whole numbers, so that all sums are exact.
std::vector<float> whole_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> uniform(-50, 50);
  std::vector<float> values(count);
  for (auto& value : values) value = static_cast<float>(uniform(random));
  return values;
}

void add(std::vector<float>& sum, const std::vector<float>& values) {
  std::transform(sum.begin(), sum.end(), values.begin(), sum.begin(), std::plus<>());
}

// Over all steps, what all ranks got and what they have left is what they had.
TEST(TopKHook, SendsTheLargestAndLosesNothing) {
  constexpr int kRanks = 3, kSteps = 5;
  constexpr double kRatio = 0.03;
  FlatPlan flat;
  flat.plan.hook = {.hook = Hook::topk, .topk_ratio = kRatio};
  const auto count = flat.layout.count();
  std::vector<float> had(count), left(count);
  std::vector<std::vector<float>> got(kRanks, std::vector<float>(count));
  std::mutex mutex;
  on_ranks(kRanks, [&](RankTools& rank) {
    const auto own = static_cast<unsigned>(rank.axis.rank());
    TopKHook hook(flat.plan, rank.tools);
    for (unsigned step = 0; step < kSteps; ++step) {
      const auto values = whole_values(count, step * kRanks + own);
      const auto gradients = block_of(rank, values);
      for (const auto& bucket : flat.plan.buckets)
        hook.reduce(bucket, gradients.array(DataType::float32).from(bucket.begin));
      rank.axis.stream().synchronize(Deadline::never());
      add(got[own], values_of(gradients));
      const std::lock_guard lock(mutex);
      add(had, values);
    }
    std::vector<float> residual(count);
    std::memcpy(residual.data(), hook.residual().data, count * sizeof(float));
    const std::lock_guard lock(mutex);
    add(left, residual);
    std::uint64_t accounted = 0;
    for (const auto& bucket : flat.plan.buckets)
      accounted += kSteps * (kRanks - 1) * top_k_bytes(top_k_count(bucket.count(), kRatio), 4);
    EXPECT_EQ(rank.axis.comm().bytes().begin()->second, accounted);
  });
  EXPECT_EQ(got[1], got[0]);
  EXPECT_EQ(got[2], got[0]);
  const auto sent = std::ranges::count_if(got[0], [](float value) { return value != 0; });
  EXPECT_GT(sent, 0);
  EXPECT_LT(static_cast<double>(sent), kRanks * kSteps * kRatio * static_cast<double>(count) * 1.1);
  auto accounted = got[0];
  add(accounted, left);
  EXPECT_EQ(accounted, had);
}

TEST(TopKHook, SendsAllAtARatioOf1) {
  FlatPlan flat;
  flat.plan.hook = {.hook = Hook::topk, .topk_ratio = 1};
  const auto& bucket = flat.plan.buckets.front();
  on_ranks(2, [&](RankTools& rank) {
    const auto own = static_cast<unsigned>(rank.axis.rank());
    auto expected = whole_values(bucket.count(), 1 - own);
    const auto values = whole_values(bucket.count(), own);
    add(expected, values);
    const auto gradients = block_of(rank, values);
    TopKHook hook(flat.plan, rank.tools);

    hook.reduce(bucket, gradients.array(DataType::float32));
    rank.axis.stream().synchronize(Deadline::never());

    EXPECT_EQ(values_of(gradients), expected);
  });
}

}  // namespace
}  // namespace linerate::trainers
