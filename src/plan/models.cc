#include "plan/models.h"

#include "base/text.h"

#include <array>
#include <cstddef>

namespace linerate::plan {
namespace {

struct ModelRow {
  std::string_view name;
  bool llama;
  std::size_t layers, hidden, heads, kv_heads, mlp, length, vocabulary;
};

// gpt3-*: Brown et al. 2020, table 2.1 (175B), Narayanan et al. 2021, table 1, and Korthikanti et
// al. 2022, table 3, with Megatron-LM's vocabulary of 51200. llama*: Touvron et al. 2023, table 2;
// Grattafiori et al. 2024 (Llama 3), table 3.
constexpr auto kPublished = std::to_array<ModelRow>({
    {"gpt3-7b5", false, 36, 4096, 32, 32, 16384, 2048, 51200},
    {"gpt3-18b", false, 40, 6144, 48, 48, 24576, 2048, 51200},
    {"gpt3-22b", false, 48, 6144, 64, 64, 24576, 2048, 51200},
    {"gpt3-39b", false, 48, 8192, 64, 64, 32768, 2048, 51200},
    {"gpt3-76b", false, 60, 10240, 80, 80, 40960, 2048, 51200},
    {"gpt3-145b", false, 80, 12288, 96, 96, 49152, 2048, 51200},
    {"gpt3-175b", false, 96, 12288, 96, 96, 49152, 2048, 51200},
    {"gpt3-310b", false, 96, 16384, 128, 128, 65536, 2048, 51200},
    {"gpt3-530b", false, 105, 20480, 128, 128, 81920, 2048, 51200},
    {"gpt3-1t", false, 128, 25600, 160, 160, 102400, 2048, 51200},
    {"llama2-7b", true, 32, 4096, 32, 32, 11008, 4096, 32000},
    {"llama3-8b", true, 32, 4096, 32, 8, 14336, 8192, 128256},
    {"llama3-70b", true, 80, 8192, 64, 8, 28672, 8192, 128256},
    {"llama3-405b", true, 126, 16384, 128, 8, 53248, 8192, 128256},
});

}  // namespace

std::vector<trainers::ModelConfig> models() {
  const auto own = trainers::models();
  std::vector<trainers::ModelConfig> all(own.begin(), own.end());
  for (const auto& row : kPublished)
    all.push_back({.name = std::string(row.name),
                   .llama = row.llama,
                   .layers = row.layers,
                   .hidden = row.hidden,
                   .heads = row.heads,
                   .kv_heads = row.kv_heads,
                   .length = row.length,
                   .vocabulary = row.vocabulary,
                   .mlp = row.mlp});
  return all;
}

Result<trainers::ModelConfig> model_named(std::string_view name) {
  const auto all = models();
  std::vector<std::string_view> names;
  for (const auto& model : all) {
    if (model.name == name) return model;
    names.push_back(model.name);
  }
  return Failure{unknown_choice("model", name, names)};
}

}  // namespace linerate::plan
