// What checkpoints need of a Trainer.
#include "base/text.h"
#include "trainers/engine/injected.h"
#include "trainers/engine/trainer.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

namespace linerate::trainers {

Manifest manifest_of(const TrainConfig& config, const ParameterTable& table) {
  const auto& model = config.model;
  // A file may lie elsewhere when the run goes on.
  const auto data = std::filesystem::path(config.data.data).filename().string();
  Manifest manifest{.configuration = {{"model", model.name},
                                      {"kind", model.llama ? "llama" : "gpt2"},
                                      {"layers", fmt::to_string(model.layers)},
                                      {"hidden", fmt::to_string(model.hidden)},
                                      {"heads", fmt::to_string(model.heads)},
                                      {"kv_heads", fmt::to_string(model.kv_heads)},
                                      {"length", fmt::to_string(model.length)},
                                      {"vocabulary", fmt::to_string(model.vocabulary)},
                                      {"mlp", fmt::to_string(model.mlp)},
                                      {"dropout", fmt::to_string(model.dropout)},
                                      {"data", plain_text(data)},
                                      {"batch", fmt::to_string(config.batch)},
                                      {"seed", fmt::to_string(config.seed)},
                                      {"state", std::string(name_of(state_type_of(config.type)))}}};
  for (const auto& parameter : table.parameters)
    manifest.tensors.push_back({.name = parameter.name, .shape = parameter.shape});
  return manifest;
}

// Ranks that hold the same share the writing of it.
Snapshot Trainer::snapshot() {
  auto slices = adam_.slices();
  const auto copies =
      copies_of(table_.placements.optimizer, table_.mesh, static_cast<std::size_t>(rank_.rank()));
  slices = share_of_slices(slices, copies.place, copies.count);
  const auto type = adam_.state_type();
  std::size_t bytes = 0;
  for (const auto& slice : slices) bytes += std::size(kStateKinds) * slice.count * bytes_of(type);
  Snapshot snapshot{.manifest = manifest_of(config_, table_),
                    .memory = arena_.allocate(Category::checkpoint, bytes)};
  snapshot.manifest.step = step_;
  snapshot.manifest.updates = updates_;
  snapshot.manifest.loss_scale = loss_scale_.state();
  auto left = snapshot.memory.view();
  for (const auto& slice : slices) {
    for (const auto kind : kStateKinds) {
      const auto to = left.first(slice.count * bytes_of(type));
      left = left.subspan(to.size());
      const auto* from = adam_.state(kind, slice, *store_).data;
      arena_.device().copy(to, {from, to.size()}, compute_);
      snapshot.parts.push_back({.what = {.tensor = slice.parameter,
                                         .kind = kind,
                                         .index = slice.index,
                                         .count = slice.count},
                                .type = type,
                                .bytes = to});
    }
    adam_.leave_file();
  }
  compute_.synchronize(Deadline::never());
  return snapshot;
}

void Trainer::resume(const Checkpoint& checkpoint) {
  ChunkReader reader(checkpoint.folder, checkpoint.manifest);
  const auto type = adam_.state_type();
  std::vector<std::byte> values;
  for (const auto kind : kStateKinds)
    for (const auto& slice : adam_.slices()) {
      if (injected(Bug::resumes_without_moments) && kind == StateKind::v) continue;
      const auto early = injected(Bug::reads_an_element_early) && slice.index > 0 ? 1u : 0u;
      values.resize(slice.count * bytes_of(type));
      reader.read({.tensor = slice.parameter,
                   .kind = kind,
                   .index = slice.index - early,
                   .count = slice.count},
                  type, values);
      const auto to = adam_.state(kind, slice, *store_);
      arena_.device().copy(View(to.data, values.size()), values, compute_);
      compute_.synchronize(Deadline::never());  // `values` is used again
      adam_.leave_file();
    }
  adam_.take_masters(*store_);
  store_->publish();
  step_ = checkpoint.manifest.step + (injected(Bug::resumes_a_step_late) ? 1 : 0);
  updates_ = checkpoint.manifest.updates;
  loss_scale_.restore(checkpoint.manifest.loss_scale);
}

}  // namespace linerate::trainers
