// What checkpoints need of a Trainer.
#include "base/text.h"
#include "trainers/engine/chunk.h"
#include "trainers/engine/trainer.h"
#include "trainers/parallel/injected.h"

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
    manifest.tensors.push_back({.name = parameter.name, .shape = parameter.whole_shape});
  return manifest;
}

// Where inputs are cut, whole rows of a rank's part are a box of the whole.
std::vector<std::pair<TensorSlice, std::size_t>> Trainer::whole_slices(
    const ParameterTable& table, const ParameterSlice& slice) const {
  const auto& parameter = table.parameters[slice.parameter];
  const bool as_it_is = injected(Bug::saves_tensor_parts_as_they_are);
  std::vector<std::pair<TensorSlice, std::size_t>> slices;
  for (std::size_t done = 0; done < slice.count; done += slices.back().first.count) {
    const auto left = slice.count - done;
    auto range = parameter.whole_range(slice.index + done, left);
    if (as_it_is) range = {slice.index, slice.count};
    TensorSlice what{.tensor = parameter.number, .index = range.offset, .count = range.count};
    const auto columns = parameter.is_cut_along(1) ? parameter.shape[1] : left;
    if (range.count == columns && range.count < left && !as_it_is) {
      what.run = columns;
      what.count = left / columns * columns;
    }
    slices.emplace_back(what, done);
  }
  return slices;
}

// Ranks that hold the same share the writing of it; of what tensor-parallel ranks hold copies of,
// the first one does.
std::vector<ParameterSlice> Trainer::saved_slices(const Chunk& chunk) const {
  auto slices = chunk.adam.slices();
  for (auto& slice : slices)
    slice.count = counted_of(chunk.what.table.parameters[slice.parameter], slice);
  std::erase_if(slices, [](const ParameterSlice& slice) { return slice.count == 0; });
  const auto copies = copies_of(table_.placements.optimizer, table_.mesh,
                                static_cast<std::size_t>(position_.data_rank));
  return share_of_slices(slices, copies.place, copies.count);
}

Snapshot Trainer::snapshot() {
  const auto type = chunks_.front()->adam.state_type();
  std::size_t bytes = 0;
  for (const auto& chunk : chunks_)
    for (const auto& slice : saved_slices(*chunk))
      bytes += std::size(kStateKinds) * slice.count * bytes_of(type);
  Snapshot snapshot{.manifest = manifest_of(config_, table_),
                    .memory = arena_.allocate(Category::checkpoint, bytes)};
  snapshot.manifest.step = step_;
  snapshot.manifest.updates = updates_;
  snapshot.manifest.loss_scale = loss_scale_.state();
  auto left = snapshot.memory.view();
  for (const auto& chunk : chunks_) left = save(*chunk, left, snapshot);
  compute_.synchronize(Deadline::never());
  return snapshot;
}

// Into the begin of `left`; yields what remains of that.
View Trainer::save(Chunk& chunk, View left, Snapshot& snapshot) {
  const auto& table = chunk.what.table;
  const auto type = chunk.adam.state_type();
  for (const auto& slice : saved_slices(chunk)) {
    for (const auto kind : kStateKinds) {
      const auto to = left.first(slice.count * bytes_of(type));
      left = left.subspan(to.size());
      const auto* from = chunk.adam.state(kind, slice, *chunk.store).data;
      arena_.device().copy(to, {from, to.size()}, compute_);
      for (auto [what, at] : whole_slices(table, slice)) {
        what.kind = kind;
        snapshot.parts.push_back(
            {.what = what,
             .type = type,
             .bytes = to.subspan(at * bytes_of(type), what.count * bytes_of(type)),
             .columns = table.parameters[slice.parameter].whole_shape.back()});
      }
    }
    chunk.adam.leave_file();
  }
  return left;
}

void Trainer::resume(const Checkpoint& checkpoint) {
  ChunkReader reader(checkpoint.folder, checkpoint.manifest);
  for (const auto& chunk : chunks_) {
    if (injected(Bug::resumes_the_first_stage_alone) && position_.stage > 0) continue;
    read(*chunk, reader);
    chunk->adam.take_masters(*chunk->store);
    chunk->store->publish();
  }
  step_ = checkpoint.manifest.step + (injected(Bug::resumes_a_step_late) ? 1 : 0);
  updates_ = checkpoint.manifest.updates;
  loss_scale_.restore(checkpoint.manifest.loss_scale);
}

void Trainer::read(Chunk& chunk, ChunkReader& reader) {
  const auto& table = chunk.what.table;
  const auto type = chunk.adam.state_type();
  std::vector<std::byte> values;
  for (const auto kind : kStateKinds)
    for (const auto& slice : chunk.adam.slices()) {
      if (injected(Bug::resumes_without_moments) && kind == StateKind::v) continue;
      values.resize(slice.count * bytes_of(type));
      for (auto [what, at] : whole_slices(table, slice)) {
        what.kind = kind;
        what.index -= injected(Bug::reads_an_element_early) && what.index > 0 ? 1u : 0u;
        reader.read(what, type,
                    std::span(values).subspan(at * bytes_of(type), what.count * bytes_of(type)));
      }
      const auto to = chunk.adam.state(kind, slice, *chunk.store);
      arena_.device().copy(View(to.data, values.size()), values, compute_);
      compute_.synchronize(Deadline::never());  // `values` is used again
      chunk.adam.leave_file();
    }
}

}  // namespace linerate::trainers
