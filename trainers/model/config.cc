#include "trainers/model/config.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace linerate::trainers {
namespace {

constexpr std::size_t kBytes = 256;  // vocabulary of a byte-level model
// GPT-2's 50257, rounded up to a multiple of 128 (llm.c).
constexpr std::size_t kGpt2Words = 50304;

// GPT-2's shapes: heads of 64 from d12 on (Radford et al. 2019), of 32 or 64 below.
ModelConfig gpt2(std::string name, std::size_t layers, std::size_t hidden, std::size_t heads) {
  return {.name = std::move(name),
          .layers = layers,
          .hidden = hidden,
          .heads = heads,
          .kv_heads = heads,
          .length = 1024,
          .vocabulary = kGpt2Words,
          .mlp = 4 * hidden};
}

ModelConfig of_bytes(ModelConfig model, std::size_t length) {
  model.length = length;
  model.vocabulary = kBytes;
  return model;
}

std::vector<ModelConfig> ladder() {
  return {
      of_bytes(gpt2("nano", 4, 128, 4), 128),
      of_bytes(gpt2("micro", 8, 256, 8), 256),
      of_bytes(gpt2("mini", 8, 512, 8), 256),
      gpt2("d12", 12, 768, 12),
      gpt2("d24", 24, 1024, 16),
      gpt2("d36", 36, 1280, 20),
      gpt2("d48", 48, 1600, 25),
      // The MLP's width is 8/3 of hidden, rounded up to a multiple of 256 (Touvron et al. 2023).
      {.name = "llama-mini",
       .llama = true,
       .layers = 8,
       .hidden = 512,
       .heads = 8,
       .kv_heads = 2,
       .length = 512,
       .vocabulary = kBytes,
       .mlp = 1536}};
}

}  // namespace

std::span<const ModelConfig> models() {
  static const auto rows = ladder();
  return rows;
}

Result<ModelConfig> model_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& model : models()) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  return Failure{unknown_choice("model", name, names)};
}

std::optional<std::string> model_refusal(const ModelConfig& model) {
  struct Size {
    std::string_view name;
    std::size_t value;
  };
  const std::array sizes{Size{"layers", model.layers}, Size{"hidden", model.hidden},
                         Size{"heads", model.heads},   Size{"kv_heads", model.kv_heads},
                         Size{"length", model.length}, Size{"vocabulary", model.vocabulary},
                         Size{"mlp", model.mlp}};
  const auto zero = std::ranges::find(sizes, 0u, &Size::value);
  if (zero != sizes.end()) return fmt::format("A model's {} is 1 at least.", zero->name);
  if (model.hidden % model.heads != 0)
    return fmt::format("{} heads do not divide hidden, which is {}.", model.heads, model.hidden);
  if (model.heads % model.kv_heads != 0)
    return fmt::format("{} key and value heads do not divide the {} heads.", model.kv_heads,
                       model.heads);
  if (model.llama && model.head() % 2 != 0)
    return fmt::format(
        "A head of {} elements is odd: rotary position embedding turns pairs. Choose hidden and "
        "heads so that hidden / heads is even.",
        model.head());
  if (!(model.dropout >= 0 && model.dropout < 1))
    return fmt::format("A dropout of {} is no probability from 0 to below 1.", model.dropout);
  return {};
}

}  // namespace linerate::trainers
