// A unit's part in the forward or backward of a micro-batch: its parameters and gradients, and the
// layers that all units are made of.
#pragma once

#include "trainers/model/activations.h"
#include "trainers/model/model.h"
#include "trainers/parallel/context_attention.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::trainers {

// A projection's or a norm's parameters: indices in the table.
struct Layer {
  std::size_t weight = 0;
  std::optional<std::size_t> bias{};
};
// REQUIRES: the table has `name` + ".weight".
Layer layer_named(const ParameterTable& table, std::string_view name);

struct UnitPass {
  const ModelConfig& config;
  const ParameterTable& table;
  const MicroBatch& batch;
  Math& math;
  TensorParallel& tensor;
  const SequenceShare& sequence;
  std::span<const std::int32_t> positions{};  // of a sequence's rows; empty: all in their order
  ContextAttention& attention;
  std::size_t slot = 0, first_layer = 0;
  bool ties_by_rows = false;
  Arena& arena;
  Stream& stream;
  Array parameters{};  // of the unit
  Array gradients{};   // of the unit; empty in forward
  Array second{};      // the same of the later of two chunks
  const Model::Ready* ready = nullptr;
  // Of a backward in two halves: what the second one does.
  struct Later;
  Later* later = nullptr;

  std::size_t rows() const { return batch.sequences * config.length; }
  // Of the residual stream, the norms and dropout.
  std::size_t own_rows() const { return rows() / tensor.share().row_parts(); }
  std::size_t elements() const { return own_rows() * config.hidden; }
  // All rows of what this rank has its own of, in `memory`; itself where these are all.
  Array gathered(Array own, Block& memory) const;
  Array parameter(std::size_t index) const {
    return parameters.from(table.parameters[index].offset);
  }
  // Nothing more is added to the gradient of this parameter.
  void finish(std::size_t index) const {
    if (ready != nullptr && *ready) (*ready)(index);
  }

  // Calls add(rows, weight, bias) to have what `rows` add to the gradients of a layer added there:
  // all rows at once, or those of a leaf, of each sequence after the other.
  using AddRows = std::function<void(Range rows, Array weight, Array bias)>;
  // Later, where backward has two halves: `add` captures by value, and no parameters.
  void accumulate(const Layer& layer, const AddRows& add) const;
  struct Later {
    std::vector<std::pair<Layer, AddRows>> adds{};
    std::vector<Block> memory{};  // what they read

    Array allocate(Arena& from, DataType type, std::size_t count) {
      memory.push_back(from.allocate(Category::activation, type, count));
      return memory.back().array(type);
    }
  };

  // y = x W^T + bias; where rows are split, x has all, and of a sum y has its own. A sum over
  // tensor-parallel ranks where the layer is cut by inputs.
  void project(const Layer& layer, Array y, Array x) const;
  // Adds to the gradients; dx = dy W; dy and x have all rows, of a sum dx has its own. A sum where
  // the layer is cut by outputs.
  void project_backward(const Layer& layer, Array dy, Array x, Array dx) const;

  void normalise(const Layer& layer, const NormTensors& norm, Array x) const;
  // Adds to the gradients and to dx.
  void normalise_backward(const Layer& layer, const NormTensors& norm, Array x,
                          const Scratch& scratch) const;

  // The dropouts of a model: that of the embeddings, then two of each block.
  static constexpr std::size_t kEmbeddingDropout = 0;
  static std::size_t attention_dropout(std::size_t layer) { return 1 + 2 * layer; }
  static std::size_t mlp_dropout(std::size_t layer) { return 2 + 2 * layer; }
  // y = x with elements dropped: a pure function of the micro-batch's key, of `which` dropout, of
  // the position in the global batch and of the element. y may be x. Nothing where p is 0.
  void drop(std::size_t which, Array y, Array x) const;

  // c = sum over k of what `product` multiplies, where the ranks and their leaves have parts of k:
  // those of `joined`, one after the other.
  void sum_products(const Gemm& product, std::span<const Parameter::Piece> joined,
                    TensorSum what) const;

 private:
  Norm norm_of(const Layer& layer, const NormTensors& norm, Array x, Range rows) const;
  // Of the last `columns` of dy the sums over the ranks that hold copies of them.
  void add_up_copies(Array dy, std::size_t stride, std::size_t columns) const;
  void normalise_own_rows_backward(const Layer& layer, const NormTensors& norm, Array x,
                                   const Scratch& scratch) const;
  // Of the leaves of a chunk, up their tree.
  void accumulate_chunk(std::size_t chunk, Range parameters, const AddRows& add,
                        std::size_t bias) const;
};

}  // namespace linerate::trainers
