// Runs small models in double and prints, as JSON, all that goes in and comes out: for the oracle.
#include "trainers/model/unit_pass.h"
#include "trainers/model_run.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace linerate::trainers {
namespace {

// What multiplies each element at the embeddings and at the two branches of each block.
nlohmann::json masks_of(const ModelConfig& model, const ModelInput& input) {
  const auto table = parameters_of(model);
  const MicroBatch batch{.sequences = input.tokens.size() / model.length,
                         .dropout_key = input.dropout_key,
                         .first_position = input.first_position};
  SteadyClock clock;
  const auto device = make_cpu_device(0, clock);
  const auto stream = device->stream();
  const auto math = make_cpu_math();
  Arena arena(*device);
  TensorParallel tensor;
  const SequenceShare whole{.split = {.length = model.length, .zigzag = false}};
  ContextAttention attention({}, *math, arena);
  const UnitPass pass{.config = model,
                      .table = table,
                      .batch = batch,
                      .math = *math,
                      .tensor = tensor,
                      .sequence = whole,
                      .attention = attention,
                      .arena = arena,
                      .stream = *stream};
  nlohmann::json masks = nlohmann::json::array();
  for (std::size_t which = 0; which < 1 + 2 * model.layers; ++which) {
    std::vector<double> mask(pass.elements(), 1.0);
    const Array all{reinterpret_cast<std::byte*>(mask.data()), DataType::float64};
    pass.drop(which, all, all);
    masks.push_back(mask);
  }
  return masks;
}

nlohmann::json dumped(const ModelConfig& model, std::size_t sequences) {
  const auto input = made_up_input(model, sequences);
  const auto output = run_model(model, {.sequences = sequences, .type = DataType::float64}, input);
  nlohmann::json parameters = nlohmann::json::array();
  for (const auto& row : parameters_of(model).parameters)
    parameters.push_back({{"name", row.name}, {"shape", row.shape}});
  return {{"name", model.name},
          {"llama", model.llama},
          {"layers", model.layers},
          {"heads", model.heads},
          {"kv_heads", model.kv_heads},
          {"length", model.length},
          {"masks", masks_of(model, input)},
          {"parameters", parameters},
          {"values", input.parameters},
          {"tokens", input.tokens},
          {"targets", input.targets},
          {"logits", output.logits},
          {"losses", output.losses},
          {"gradients", output.gradients}};
}

}  // namespace
}  // namespace linerate::trainers

int main() {
  using namespace linerate::trainers;
  auto dropping = ragged_gpt2();
  dropping.name += "-dropout";
  dropping.dropout = 0.1;
  std::cout << nlohmann::json{dumped(ragged_gpt2(), 2), dumped(ragged_llama(), 3),
                              dumped(dropping, 2)}
            << '\n';
}
