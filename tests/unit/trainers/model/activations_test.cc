// The closed form of activation memory beside what an arena counted.
#include "trainers/model_run.h"

#include <gtest/gtest.h>

namespace linerate::trainers {
namespace {

constexpr Recompute kRecomputes[] = {Recompute::none, Recompute::selective, Recompute::full};

class ActivationBytes : public testing::Test {
 protected:
  // Of a chunk too, which `config` has the layers of, behind others.
  std::size_t counted_bytes(const ModelConfig& config, const ModelOptions& options) {
    Arena arena(*device_);
    auto whole = config;
    whole.layers += options.first_layer + 1;
    const auto first = options.embeds ? 0 : options.first_layer + 1;
    const auto units = config.layers + (options.embeds ? 1 : 0) + (options.heads ? 1 : 0);
    if (options.heads) --whole.layers;
    const auto table = units_of(parameters_of(whole), {first, units});
    TensorParallel tensor;
    const Model model(config, table, options, *math_, tensor, arena);
    EXPECT_EQ(arena.total().now, arena.bytes(Category::activation).now);
    return arena.bytes(Category::activation).now;
  }
  void expect_closed_form(const ModelConfig& config, ModelOptions options) {
    for (const auto recompute : kRecomputes)
      for (const bool trains : {true, false}) {
        options.recompute = recompute;
        options.trains = trains;
        EXPECT_EQ(counted_bytes(config, options), activation_bytes(config, options))
            << config.name << " " << static_cast<int>(recompute) << " " << trains;
      }
  }

 private:
  SteadyClock clock_;
  std::unique_ptr<Device> device_ = make_cpu_device(0, clock_);
  std::unique_ptr<Math> math_ = make_cpu_math();
};

TEST_F(ActivationBytes, AreWhatTheArenaCounts) {
  for (const auto* name : {"nano", "micro", "mini", "llama-mini"})
    expect_closed_form(*model_named(name), {});
}

TEST_F(ActivationBytes, AreWhatTheArenaCountsForAnySizesAndTypes) {
  for (auto config : {ragged_gpt2(), ragged_llama()})
    for (const auto type : {DataType::float32, DataType::float64, DataType::bfloat16})
      for (const double dropout : {0.0, 0.1}) {
        config.dropout = dropout;
        expect_closed_form(config, {.sequences = 3, .type = type});
      }
}

TEST_F(ActivationBytes, OfAChunkAreThoseOfItsMicroBatches) {
  for (const auto& config : {ragged_gpt2(), ragged_llama()})
    for (const bool embeds : {true, false})
      for (const bool heads : {true, false})
        for (const std::size_t slots : {1, 3})
          expect_closed_form(
              config,
              {.first_layer = embeds ? 0u : 2u, .embeds = embeds, .heads = heads, .slots = slots});
}

// Per layer and position in bytes: x, norm1's y, o, middle, norm2's y of h = 768, qkv of 3 h, up
// and act of 4 h, in 4 bytes; two means and deviations; 12 heads.
TEST_F(ActivationBytes, OfALayerAreTheSumOfItsTensors) {
  auto config = *model_named("d12");
  const auto twelve = activation_bytes(config, {});
  config.layers = 11;
  const auto layer = twelve - activation_bytes(config, {});

  EXPECT_EQ(layer, 1024u * (4 * (5 + 3 + 8) * 768 + 4 * (4 + 12)));
}

TEST_F(ActivationBytes, ShrinkWithRecomputation) {
  const auto config = *model_named("mini");
  const auto bytes = [&](Recompute recompute) {
    return activation_bytes(config, {.recompute = recompute});
  };

  // Selective: o and lse of 7 of 8 layers. Full: of a layer its input alone.
  EXPECT_EQ(bytes(Recompute::none) - bytes(Recompute::selective), 7u * 256 * 4 * (512 + 8));
  EXPECT_EQ(bytes(Recompute::none) - bytes(Recompute::full), 7u * 256 * 4 * (15 * 512 + 4 + 8));
}

}  // namespace
}  // namespace linerate::trainers
