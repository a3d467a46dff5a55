// A checkpoint of two tensors, written by two ranks.
#pragma once

#include "support/folder.h"
#include "trainers/checkpoint/chunk_file.h"
#include "trainers/checkpoint/manifest.h"
#include "trainers/checkpoint/step_folder.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

namespace linerate::trainers {

// Of element `index` of a tensor.
inline float sample_value(std::size_t tensor, StateKind kind, std::size_t index) {
  return static_cast<float>(100000 * tensor + 10000 * static_cast<std::size_t>(kind) + index);
}

inline std::vector<float> sample_values(const TensorSlice& what) {
  std::vector<float> values;
  for (std::size_t i = 0; i < what.count; ++i)
    values.push_back(sample_value(what.tensor, what.kind, what.index + i));
  return values;
}

inline Manifest sample_manifest() {
  return {.step = 7,
          .updates = 1,
          .loss_scale = {.scale = 1024, .clean_steps = 3, .overflows = 1},
          .configuration = {{"model", "tiny"}, {"batch", "6"}},
          .tensors = {{.name = "first.weight", .shape = {5, 3}}, {.name = "second", .shape = {4}}}};
}

// Writes slices of each kind as `rank`; yields their chunks.
inline std::vector<Chunk> write_sample(const std::filesystem::path& folder, std::size_t rank,
                                       const std::vector<TensorSlice>& slices) {
  std::vector<std::vector<float>> values;
  std::vector<SavedPart> parts;
  for (auto what : slices)
    for (const auto kind : kStateKinds) {
      what.kind = kind;
      values.push_back(sample_values(what));
      parts.push_back({.what = what});
    }
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i].bytes = std::as_bytes(std::span(values[i]));
  return write_chunks(folder, rank, parts);
}

// The manifest of files that it writes into `folder`.
inline Manifest write_sample_files(const std::filesystem::path& folder) {
  auto manifest = sample_manifest();
  const std::vector<TensorSlice> of_rank[] = {
      {{.tensor = 0, .index = 0, .count = 7}},
      {{.tensor = 0, .index = 7, .count = 8}, {.tensor = 1, .index = 0, .count = 4}}};
  for (std::size_t rank = 0; rank < 2; ++rank) {
    const auto chunks = write_sample(folder, rank, of_rank[rank]);
    manifest.chunks.insert(manifest.chunks.end(), chunks.begin(), chunks.end());
    manifest.file_bytes.push_back(std::filesystem::file_size(folder / chunk_file_name(rank)));
  }
  return manifest;
}

// DIR/step-000007 and so on, complete.
inline void write_sample_checkpoint(CheckpointFolder& folder, const std::filesystem::path& dir,
                                    std::int64_t step, std::int64_t keep = 0) {
  folder.begin(step);
  auto manifest = write_sample_files(partial_folder(dir, step));
  manifest.step = step;
  folder.commit(manifest, keep);
}

}  // namespace linerate::trainers
