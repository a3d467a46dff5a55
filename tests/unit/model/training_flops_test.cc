// Closed forms beside figures that others published.
#include "model/training_flops.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

namespace linerate {
namespace {

constexpr std::array kConventions{FlopsConvention::palm, FlopsConvention::palm_causal,
                                  FlopsConvention::matrices, FlopsConvention::matrices_causal};

// With a tied head and learned positions: V h + s h + L (12 h^2 + 13 h) + 2 h parameters.
DecoderSizes gpt(std::size_t layers, std::size_t hidden, std::size_t length,
                 std::size_t vocabulary) {
  return {.layers = layers,
          .hidden = hidden,
          .heads = 1,
          .kv_heads = 1,
          .mlp = 4 * hidden,
          .length = length,
          .vocabulary = vocabulary,
          .parameters =
              (vocabulary + length + 2) * hidden + layers * (12 * hidden * hidden + 13 * hidden)};
}

DecoderSizes llama3(std::size_t layers, std::size_t hidden, std::size_t heads, std::size_t mlp) {
  return {.layers = layers,
          .hidden = hidden,
          .heads = heads,
          .kv_heads = 8,
          .mlp = mlp,
          .length = 8192,
          .vocabulary = 128256,
          .gated = true};
}

// llm.c's d12: Karpathy's GPT-2 with a vocabulary padded to 50304.
TEST(TrainingFlops, OfGpt2) {
  const auto d12 = gpt(12, 768, 1024, 50304);

  EXPECT_EQ(d12.parameters, 124'475'904u);
  EXPECT_EQ(model_flops_per_token(d12, FlopsConvention::palm),
            6.0 * 124'475'904 + 12.0 * 12 * 768 * 1024);
  EXPECT_EQ(model_flops_per_token(d12, FlopsConvention::palm_causal),
            6.0 * 124'475'904 + 6.0 * 12 * 768 * 1024);
}

// Chowdhery et al. 2022, appendix B: 238.3 thousand tokens/s on 6144 chips of 275 TFLOP/s. Its
// attention is 48 heads of 256 wide, narrower than the model.
TEST(TrainingFlops, GivePaLMsUtilisation) {
  const DecoderSizes palm{
      .layers = 118, .hidden = 48 * 256, .length = 2048, .parameters = 540'350'000'000};

  const auto flops = model_flops_per_token(palm, FlopsConvention::palm);

  EXPECT_NEAR(utilisation(flops, 238.3e3, 6144 * 275e12), 0.462, 0.0005);
}

// Llama 3's published parameters are these matrices, an embedding beside the head, and the norms.
TEST(TrainingFlops, MultiplyLlama3sMatrices) {
  const auto others = [](const DecoderSizes& sizes) {
    return sizes.hidden * (sizes.vocabulary + 2 * sizes.layers + 1);
  };
  const auto small = llama3(32, 4096, 32, 14336), large = llama3(126, 16384, 128, 53248);

  EXPECT_EQ(matrix_elements(small) + others(small), 8'030'261'248u);
  EXPECT_EQ(matrix_elements(large) + others(large), 405'853'388'800u);
}

// Narayanan et al. 2021, eq. 3: of B sequences with full recomputation, and without.
TEST(TrainingFlops, AreThoseOfEquation3) {
  const auto sizes = gpt(96, 12288, 2048, 51200);
  const double L = 96, h = 12288, s = 2048, V = 51200;

  EXPECT_DOUBLE_EQ(hardware_flops_per_token(sizes, FlopsConvention::matrices, Recomputed::blocks),
                   96 * L * h * h * (1 + s / (6 * h) + V / (16 * L * h)));
  EXPECT_DOUBLE_EQ(model_flops_per_token(sizes, FlopsConvention::matrices),
                   72 * L * h * h * (1 + s / (6 * h) + V / (12 * L * h)));
}

// Korthikanti et al. 2022, table 5: seconds of an iteration on A100s of 312 TFLOP/s, MFU and HFU in
// percent. All recompute attention, which the paper counts three times.
struct Published {
  std::size_t layers, hidden;
  double batch, gpus, iteration_s, mfu, hfu;
};
class KorthikantiTable : public testing::TestWithParam<Published> {};

TEST_P(KorthikantiTable, HasTheseUtilisations) {
  const auto& row = GetParam();
  const auto sizes = gpt(row.layers, row.hidden, 2048, 51200);
  const double tokens_per_s = row.batch * 2048 / row.iteration_s;

  const auto model = model_flops_per_token(sizes, FlopsConvention::matrices);
  const auto once =
      hardware_flops_per_token(sizes, FlopsConvention::matrices, Recomputed::attention) - model;

  const auto percent = [&](double flops) {
    return 100 * utilisation(flops, tokens_per_s, row.gpus * 312e12);
  };
  EXPECT_NEAR(percent(model), row.mfu, 0.25);  // the first row's time is rounded to 0.5 %
  EXPECT_NEAR(percent(model + 3 * once), row.hfu, 0.25);
}

INSTANTIATE_TEST_SUITE_P(Rows, KorthikantiTable,
                         testing::Values(Published{48, 6144, 4, 8, 1.10, 41.5, 43.7},
                                         Published{96, 12288, 64, 64, 13.75, 51.4, 52.8},
                                         Published{105, 20480, 280, 280, 37.83, 56.0, 57.0},
                                         Published{128, 25600, 512, 512, 71.49, 56.3, 57.0}),
                         [](const auto& row) {
                           return "Hidden" + std::to_string(row.param.hidden);
                         });

TEST(TrainingFlops, CausalCountHalfOfAttention) {
  const auto sizes = gpt(4, 128, 128, 256);
  const double attention = 12.0 * 4 * 128 * 128;

  EXPECT_DOUBLE_EQ(model_flops_per_token(sizes, FlopsConvention::palm) -
                       model_flops_per_token(sizes, FlopsConvention::palm_causal),
                   attention / 2);
  EXPECT_DOUBLE_EQ(model_flops_per_token(sizes, FlopsConvention::matrices) -
                       model_flops_per_token(sizes, FlopsConvention::matrices_causal),
                   attention / 2);
}

TEST(TrainingFlops, OfRecomputedBlocksAreAThirdMore) {
  auto sizes = gpt(4, 128, 128, 0);  // no head, which is not computed again
  for (const auto convention : {FlopsConvention::matrices, FlopsConvention::matrices_causal})
    EXPECT_DOUBLE_EQ(hardware_flops_per_token(sizes, convention, Recomputed::blocks),
                     model_flops_per_token(sizes, convention) * 4 / 3);
}

TEST(TrainingFlops, AreTheModelsWhereNothingIsRecomputed) {
  const auto sizes = llama3(32, 4096, 32, 14336);
  for (const auto convention : kConventions) {
    EXPECT_EQ(hardware_flops_per_token(sizes, convention, Recomputed::none),
              model_flops_per_token(sizes, convention));
    EXPECT_FALSE(name_of(convention).empty());
  }
}

// 1 of 4 heads of keys and values: 2.5 h^2 of attention's 4, and three matrices of the MLP.
TEST(TrainingFlops, CountGroupedQueriesAndGates) {
  const DecoderSizes sizes{.layers = 3,
                           .hidden = 8,
                           .heads = 4,
                           .kv_heads = 1,
                           .mlp = 10,
                           .length = 16,
                           .vocabulary = 7,
                           .gated = true};

  EXPECT_EQ(matrix_elements(sizes), 3 * (8 * 8 * 5 / 2 + 3 * 8 * 10) + 7 * 8u);
}

}  // namespace
}  // namespace linerate
