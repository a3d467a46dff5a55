// Checkpoints: the state of a training after a step, from which any other layout of ranks goes on.
//
// DIR/step-000100/       a folder for each step; step-000100.partial until all of it is on disk
//   rank-00000.bin       the chunks that a rank wrote, one after the other
//   manifest.json        what they are; written last
//
// A chunk is a slice of the elements of one tensor, or some columns of some rows of a matrix, which
// is cut so among tensor-parallel ranks, with a CRC-32 of its bytes. A rank writes
// what it holds, and reads what it will hold: the chunks that its slices intersect, whoever
// wrote them.
//   manifest.h     what a checkpoint holds; read from JSON, of which nothing is believed
//   chunk_file.h   a rank's file, and slices out of all files
//   step_folder.h  which checkpoints are complete, how one appears, which are removed
//   saver.h        a save beside the training
#pragma once

#include "base/result.h"
#include "comm/data_type.h"
#include "trainers/optimizer/gradient_scale.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::trainers {

// What is kept of each parameter, in full precision: itself, and the moments of AdamW.
enum class StateKind : std::uint8_t { master, m, v };
inline constexpr StateKind kStateKinds[] = {StateKind::master, StateKind::m, StateKind::v};
std::string_view name_of(StateKind kind);

struct SavedTensor {
  std::string name{};
  std::vector<std::size_t> shape{};

  std::size_t count() const;
  // As a matrix: elements of a row. One of one dimension is a row.
  std::size_t columns() const { return shape.size() < 2 ? count() : count() / shape.front(); }
  bool operator==(const SavedTensor&) const = default;
};

// Elements [index, index + count) of a tensor, flattened. With `run`, a box: so many elements of
// each of count / run rows, the first one at `index`.
struct TensorSlice {
  std::size_t tensor = 0;
  StateKind kind = StateKind::master;
  std::size_t index = 0, count = 0;
  std::size_t run = 0;  // 0: no box

  // Where its element in this row and column is among its own.
  std::size_t at(std::size_t row, std::size_t column, std::size_t columns) const {
    if (run == 0) return row * columns + column - index;
    return (row - index / columns) * run + column - index % columns;
  }
};

// Some columns of some rows of a tensor.
struct TensorBox {
  std::size_t row = 0, column = 0, rows = 0, columns = 0;
};
// What a slice of a tensor with rows of `columns` elements is made of: three at most, in their
// order.
std::vector<TensorBox> boxes_of(const TensorSlice& slice, std::size_t columns);

struct Chunk {
  TensorSlice what{};
  DataType type = DataType::float32;  // or float64
  std::size_t file = 0;               // the rank that wrote it
  std::size_t offset = 0;             // of its first byte there
  std::uint32_t crc = 0;

  std::size_t bytes() const { return what.count * bytes_of(type); }
};
// A reader holds a whole chunk in memory, also where it needs a part of it.
inline constexpr std::size_t kMaxChunkElements = std::size_t{1} << 20;

// What was trained, as names and values: the same in a run that goes on from it.
using Facts = std::vector<std::pair<std::string, std::string>>;

struct Manifest {
  std::int64_t step = 0;     // done; the position in the data too
  std::int64_t updates = 0;  // of them, those that were not skipped: AdamW's own count
  LossScaleState loss_scale{};
  Facts configuration{};
  std::vector<SavedTensor> tensors{};
  std::vector<std::uint64_t> file_bytes{};  // by rank
  std::vector<Chunk> chunks{};              // by tensor, kind and index
};

inline constexpr std::size_t kMaxManifestBytes = std::size_t{64} << 20;

// Sorts the chunks.
std::string manifest_text(Manifest& manifest);

// Any text, which anybody may have written. What it yields has all elements of each tensor once,
// in chunks that lie within their files. The sentence is what goes on behind the file's name and a
// colon.
Result<Manifest> parse_manifest(std::string_view text);

// Nothing, or what a run with `own` configuration and tensors must not go on from: behind the
// checkpoint's name.
std::optional<std::string> difference(const Manifest& saved, const Manifest& own);

}  // namespace linerate::trainers
