#include "trainers/programs/listing.h"

#include "backends/table.h"
#include "trainers/data/source.h"
#include "trainers/model/parameters.h"

#include <fmt/format.h>

namespace linerate {

std::string trainer_list_text() {
  std::string text;
  for (const auto& model : trainers::models())
    text += fmt::format(
        "model {} parameters={} style={} layers={} hidden={} heads={} kv_heads={} mlp={} "
        "length={} vocabulary={}\n",
        model.name, trainers::parameters_of(model).count(), model.llama ? "llama" : "gpt2",
        model.layers, model.hidden, model.heads, model.kv_heads, model.mlp, model.length,
        model.vocabulary);
  for (const auto name : trainers::source_names()) text += fmt::format("data {}\n", name);
  text += "data FILE\n";
  for (const auto& backend : all_backends())
    if (backend.name != "nccl") text += fmt::format("backend {}\n", backend.name);
  return text;
}

}  // namespace linerate
