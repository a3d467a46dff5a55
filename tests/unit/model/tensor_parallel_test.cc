// Cases by hand: two ranks, 4 rows of 6 elements of 4 bytes: a rank sends 12 elements of a sum to
// the other one, which is 48 bytes, and as many of the result.
#include "model/tensor_parallel.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr TensorLayout kTwo{.nranks = 2, .rows = 4, .hidden = 6, .layers = 3};

TEST(TensorBytes, OfTwoRanksAreFourAllReducesOfALayer) {
  // For each position the largest logit, then two sums: 2 + 4 doubles each way.
  EXPECT_EQ(tensor_bytes(kTwo), (TensorBytes{.embedding = 96,
                                             .forward = 6 * 96,
                                             .backward = 7 * 96,
                                             .cross_entropy = 2 * (2 + 4) * 8}));
}

TEST(TensorBytes, OfOneRankAreNone) {
  auto layout = kTwo;
  layout.nranks = 1;
  layout.splits_rows = true;
  EXPECT_EQ(tensor_bytes(layout), TensorBytes{});
}

TEST(TensorBytes, OfAStageAreThoseOfItsLayersAndEnds) {
  auto layout = kTwo;
  layout.embeds = layout.heads = false;
  layout.repeats_forward = true;
  EXPECT_EQ(tensor_bytes(layout), (TensorBytes{.forward = 9 * 96, .backward = 6 * 96}));
}

TEST(TensorBytes, OfCanonicalModeHaveEachTermOnceOneWay) {
  auto layout = kTwo;
  layout.terms = 3;
  EXPECT_EQ(tensor_bytes(layout), (TensorBytes{.embedding = 96,
                                               .forward = 6 * (3 * 48 + 48),
                                               .backward = 7 * (3 * 48 + 48),
                                               .cross_entropy = (2 * 2 + 3 * 4 + 4) * 8}));
}

TEST(TensorBytes, OfCopiesOfKeysAndValuesAreAnAllReduceOfALayer) {
  auto layout = kTwo;
  layout.copies = 2;
  layout.keys_and_values = 2;
  EXPECT_EQ(tensor_bytes(layout).keys_and_values, 3u * 2 * (4 * 2 / 2) * 4);
}

TEST(TensorBytes, OfSplitRowsAreScattersAndGathers) {
  auto layout = kTwo;
  layout.splits_rows = true;
  layout.norm_weights = 2;
  auto bytes = tensor_bytes(layout);
  EXPECT_EQ(bytes, (TensorBytes{.embedding = 48,
                                .forward = 6 * 48,
                                .backward = 7 * 48,
                                .cross_entropy = 2 * (2 + 4) * 8,
                                .rows = (6 * 3 + 2) * 48,
                                .norm_weight = 7 * 2 * 6 * 4}));
  layout.terms = 1;
  bytes = tensor_bytes(layout);
  EXPECT_EQ(bytes.rows, (6 * 3 + 2 + 2 * 7) * 48u);
  EXPECT_EQ(bytes.norm_weight, 0u);
}

// SC'21's 8 bsh (t - 1) / t elements of a layer.
TEST(TensorBytes, OfALayerAreThosePublished) {
  for (const std::uint64_t t : {2, 4, 8}) {
    const TensorLayout layout{
        .nranks = t, .rows = 1024, .hidden = 64, .embeds = false, .heads = false};
    const auto bytes = tensor_bytes(layout);
    EXPECT_EQ(bytes.forward + bytes.backward, 8 * 1024 * 64 * (t - 1) / t * layout.element);
    auto split = layout;
    split.splits_rows = true;
    const auto of_split = tensor_bytes(split);
    // The same, and inputs that are gathered again.
    EXPECT_EQ(of_split.forward + of_split.backward + of_split.rows,
              bytes.forward + bytes.backward + 2 * 1024 * 64 * (t - 1) / t * layout.element);
  }
}

}  // namespace
}  // namespace linerate
