// Kernels of a unit: against the closed forms of operations, and among ranks that share a model.
#include "plan/kernels.h"

#include "machines.h"
#include "trainers/model/parameters.h"
#include "trainers/model/tensor_parallel.h"

#include <gtest/gtest.h>

#include <string_view>

namespace linerate::plan {
namespace {

bool is_product(const Kernel& kernel) { return kernel.kind <= KernelKind::product_weight; }

double flops_where(const UnitWork& work, bool (*counts)(const Kernel&)) {
  double sum = 0;
  for (const auto* kernels : {&work.forward, &work.backward_input, &work.backward_weight})
    for (const auto& one : *kernels)
      if (counts(one.kernel)) sum += one.times * flops_of(one.kernel);
  return sum;
}

double model_flops(const trainers::ModelConfig& share, bool (*counts)(const Kernel&),
                   trainers::Recompute recompute = trainers::Recompute::none) {
  const WorkShape shape{.share = share, .sequences = 3, .recompute = recompute};
  return static_cast<double>(share.layers) * flops_where(block_work(shape), counts) +
         flops_where(head_work(shape), counts);
}

TEST(Kernels, OfAModelHaveTheOperationsOfItsMatrices) {
  for (const std::string_view name : {"nano", "d12", "llama-mini", "llama3-8b"}) {
    const auto model = model_named(name).value();
    const auto tokens = 3 * static_cast<double>(model.length);

    EXPECT_DOUBLE_EQ(
        model_flops(model, is_product),
        6 * static_cast<double>(matrix_elements(trainers::decoder_sizes(model))) * tokens)
        << name;
  }
}

TEST(Kernels, OfFullRecomputationHaveASecondForwardButItsLastProduct) {
  const auto model = model_named("nano").value();
  const double rows = 3 * 128;
  const double once = model_flops(model, is_product);

  const double again = model_flops(model, is_product, trainers::Recompute::full) - once;

  // qkv, attention's result, the MLP's first product.
  EXPECT_DOUBLE_EQ(again, 4 * 2 * rows * 128 * (3 * 128 + 128 + 512));
}

TEST(Kernels, OfTensorParallelRanksAddUpToTheWhole) {
  const auto model = model_named("nano").value();
  const auto share = model_of_share(model, {.leaves = 4, .nranks = 4});

  EXPECT_DOUBLE_EQ(4 * model_flops(share, is_product), model_flops(model, is_product));
}

TEST(Kernels, OfContextParallelAttentionAddUpToTheWhole) {
  const auto model = model_named("nano").value();
  const auto is_attention = [](const Kernel& kernel) {
    return kernel.kind == KernelKind::attention;
  };
  auto local = model;
  local.length = 32;
  const SequenceSplit split{.length = 128, .ranks = 4};

  const double part = flops_where(block_work({.share = local, .split = split}), is_attention);

  EXPECT_NEAR(4 * part, flops_where(block_work({.share = model}), is_attention), 1e-6 * part);
}

TEST(Kernels, HaveNamesThatAreReadBack) {
  for (std::size_t i = 0; i < std::size(kKernelNames); ++i) {
    const auto kind = static_cast<KernelKind>(i);
    EXPECT_EQ(kernel_named(name_of(kind)), kind);
  }
  EXPECT_FALSE(kernel_named("gemm"));
}

}  // namespace
}  // namespace linerate::plan
