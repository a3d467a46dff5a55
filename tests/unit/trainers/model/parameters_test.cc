// The table of parameters: what it counts, where each lies, initial values.
#include "trainers/model/parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace linerate::trainers {
namespace {

ParameterTable table_of(const char* name) { return parameters_of(*model_named(name)); }

TEST(Parameters, AreAsManyAsPublished) {
  // V h + s h + L (12 h^2 + 13 h) + 2 h.
  EXPECT_EQ(table_of("nano").count(), 842'496u);
  EXPECT_EQ(table_of("micro").count(), 6'449'664u);
  EXPECT_EQ(table_of("mini").count(), 25'482'240u);
  EXPECT_EQ(table_of("d12").count(), 124'475'904u);
  EXPECT_EQ(table_of("d24").count(), 354'871'296u);
  EXPECT_EQ(table_of("d36").count(), 774'090'240u);
  EXPECT_EQ(table_of("d48").count(), 1'557'686'400u);
}

TEST(Parameters, FollowTheFormulaOfGpt2) {
  for (const auto& m : models()) {
    if (m.llama) continue;
    const auto h = m.hidden;
    EXPECT_EQ(parameters_of(m).count(),
              m.vocabulary * h + m.length * h + m.layers * (12 * h * h + 13 * h) + 2 * h)
        << m.name;
  }
}

TEST(Parameters, OfLlamaHaveNoBiasesAndNoPositions) {
  const auto table = table_of("llama-mini");

  // V h + L (h (h + 2 h_kv) + h^2 + 3 h mlp + 2 h) + h.
  EXPECT_EQ(table.count(),
            256u * 512 + 8 * (512 * 768 + 512 * 512 + 3 * 512 * 1536 + 2 * 512) + 512);
  for (const auto& row : table.parameters) EXPECT_FALSE(row.name.ends_with(".bias")) << row.name;
  EXPECT_FALSE(table.index_of("embedding.position.weight"));
}

TEST(Parameters, LieSideBySideInTheirUnits) {
  for (const auto* name : {"nano", "llama-mini"}) {
    const auto table = table_of(name);
    std::size_t end = 0;
    for (const auto& row : table.parameters) {
      EXPECT_EQ(table.unit_begin(row.unit) + row.offset, end) << row.name;
      end += row.count();
    }
    EXPECT_EQ(end, table.count());
    EXPECT_EQ(table.units(), model_named(name)->layers + 2);
  }
}

TEST(Parameters, HaveNamesOfTheirOwnThatFindThem) {
  const auto table = table_of("nano");
  std::set<std::string> names;
  for (std::size_t i = 0; i < table.parameters.size(); ++i) {
    names.insert(table.parameters[i].name);
    EXPECT_EQ(table.index_of(table.parameters[i].name), i);
  }

  EXPECT_EQ(names.size(), table.parameters.size());
  EXPECT_EQ(table.parameters[*table.index_of("block3.mlp.up.weight")].unit, 4u);
  EXPECT_FALSE(table.index_of("block4.mlp.up.weight"));
}

TEST(Parameters, DecayWhereTheyAreMatrices) {
  for (const auto& row : table_of("nano").parameters)
    EXPECT_EQ(row.decays, row.shape.size() == 2) << row.name;
}

TEST(InitialValues, AreOnesForNormsAndZerosForBiases) {
  const auto table = table_of("nano");
  const auto value = [&](const char* name) {
    return initial_value(table, *table.index_of(name), 5, 1);
  };

  EXPECT_EQ(value("block0.norm1.weight"), 1);
  EXPECT_EQ(value("block0.norm1.bias"), 0);
  EXPECT_EQ(value("block2.attention.qkv.bias"), 0);
  EXPECT_EQ(value("norm.weight"), 1);
}

// Bounds: five standard errors of 16384 elements.
void expect_normal(const ParameterTable& table, const char* name, double deviation) {
  const auto parameter = *table.index_of(name);
  const auto n = static_cast<double>(table.parameters[parameter].count());
  double sum = 0, squares = 0, fourths = 0;
  for (std::size_t i = 0; i < table.parameters[parameter].count(); ++i) {
    const double x = initial_value(table, parameter, i, 42) / deviation;
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
  }
  EXPECT_LT(std::abs(sum / n), 5 / std::sqrt(n)) << name;
  EXPECT_LT(std::abs(squares / n - 1), 5 * std::sqrt(2 / n)) << name;
  EXPECT_LT(std::abs(fourths / n - 3), 5 * std::sqrt(96 / n)) << name;
}

TEST(InitialValues, AreNormalAndSmallerIntoTheResidualStream) {
  const auto table = table_of("nano");

  expect_normal(table, "embedding.position.weight", 0.02);
  expect_normal(table, "block1.attention.qkv.weight", 0.02);
  expect_normal(table, "block1.attention.out.weight", 0.02 / std::sqrt(8));
  expect_normal(table, "block1.mlp.down.weight", 0.02 / std::sqrt(8));
}

TEST(InitialValues, DifferByElementParameterAndSeed) {
  const auto table = table_of("nano");
  const auto one = *table.index_of("block0.mlp.up.weight");
  const auto other = *table.index_of("block1.mlp.up.weight");
  std::set<double> values;
  for (std::size_t i = 0; i < 100; ++i) {
    values.insert(initial_value(table, one, i, 1));
    values.insert(initial_value(table, one, i, 2));
    values.insert(initial_value(table, other, i, 1));
  }

  EXPECT_EQ(values.size(), 300u);
  EXPECT_EQ(initial_value(table, one, 77, 1), initial_value(table, one, 77, 1));
}

// They are part of what a checkpoint and a run at another number of ranks rely on.
TEST(InitialValues, StayWhatTheyAre) {
  const auto table = table_of("nano");

  // From the formulas of SplitMix64 and of Box and Muller, in Python.
  EXPECT_DOUBLE_EQ(initial_value(table, 0, 0, 0), 0.02 * 1.9549744116420429);
  EXPECT_DOUBLE_EQ(initial_value(table, 1, 1000, 7), 0.02 * -0.28169526133532274);
}

// The elements of all tensor-parallel ranks' parts, each where it lies in the whole.
TEST(Parameters, OfTensorParallelRanksMakeUpTheWhole) {
  for (const auto* name : {"nano", "llama-mini"}) {
    const auto model = *model_named(name);
    const auto whole = parameters_of(model);
    for (const std::size_t nranks : {1, 2}) {
      for (std::size_t i = 0; i < whole.parameters.size(); ++i) {
        std::vector<int> times(whole.parameters[i].count());
        bool copies = false;
        for (std::size_t rank = 0; rank < nranks; ++rank) {
          const auto part =
              parameters_of(model, {.leaves = 2, .rank = rank, .nranks = nranks}).parameters[i];
          EXPECT_EQ(part.whole_count(), times.size());
          copies = part.pieces.empty();
          if (nranks == 1) {
            EXPECT_EQ(part.whole_range(0, part.count()).count, part.count());
          }
          for (std::size_t done = 0; done < part.count();) {
            const auto range = part.whole_range(done, part.count() - done);
            ASSERT_GT(range.count, 0u);
            for (std::size_t k = 0; k < range.count; ++k) ++times.at(range.offset + k);
            done += range.count;
          }
        }
        const auto expected = copies ? static_cast<int>(nranks) : 1;
        EXPECT_TRUE(std::ranges::all_of(times, [&](int n) { return n == expected; }))
            << whole.parameters[i].name;
      }
    }
  }
}

// Queries, keys and values lie joined, and each rank has its heads of all three.
TEST(Parameters, OfATensorParallelRankAreThoseOfItsHeads) {
  const auto table =
      parameters_of(*model_named("llama-mini"), {.leaves = 2, .rank = 1, .nranks = 2});

  const auto& qkv = table.parameters[*table.index_of("block0.attention.qkv.weight")];

  EXPECT_EQ(qkv.shape, (std::vector<std::size_t>{384, 512}));  // of 768: 256 + 64 + 64
  EXPECT_EQ(qkv.whole_range(0, 1).offset, 256u * 512);
  EXPECT_EQ(qkv.whole_range(256 * 512, 1).offset, (512u + 64) * 512);
  EXPECT_EQ(qkv.whole_range(320 * 512 + 3, 1).offset, (512u + 128 + 64) * 512 + 3);
  const auto& out = table.parameters[*table.index_of("block0.attention.out.weight")];
  EXPECT_EQ(out.shape, (std::vector<std::size_t>{512, 256}));
  EXPECT_EQ(out.whole_range(256, 999).offset, 512u + 256);
  EXPECT_EQ(out.whole_range(256, 999).count, 256u);
}

TEST(TensorParallel, SaysWhyAModelCannotBeCut) {
  const auto nano = *model_named("nano"), llama = *model_named("llama-mini");

  EXPECT_FALSE(tensor_refusal(nano, 4, true));
  EXPECT_EQ(
      tensor_refusal(nano, 3, false),
      "--tp 3 does not divide the 4 heads of nano, or neither divides nor is a multiple of its "
      "4 key and value heads; choices: 1, 2, 4.");
  EXPECT_FALSE(tensor_refusal(llama, 8, false));
  EXPECT_EQ(
      tensor_refusal(llama, 4, true),
      "--tp 4 does not divide the 8 heads of llama-mini, or neither divides nor is a multiple "
      "of its 2 key and value heads, or the 2 parts in which --deterministic adds them up; "
      "choices: 1, 2.");
  EXPECT_TRUE(tensor_refusal(*model_named("d36"), 4, true)->ends_with("choices: 1, 2, 5, 10."));
}

}  // namespace
}  // namespace linerate::trainers
