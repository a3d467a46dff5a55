// Forward and backward of a micro-batch, unit by unit: the caller says which unit runs when, and
// owns parameters and gradients, so that it can gather, free and reduce them in between.
#pragma once

#include "comm/math.h"
#include "trainers/memory/arena.h"
#include "trainers/model/config.h"
#include "trainers/model/parameters.h"
#include "trainers/model/sequence_share.h"
#include "trainers/parallel/axis.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace linerate::trainers {

// What backward computes once more instead of keeping it.
enum class Recompute : std::uint8_t { none, selective /* attention */, full /* the block */ };

struct ModelOptions {
  std::size_t sequences = 1;  // of a micro-batch, at most
  DataType type = DataType::float32;
  Recompute recompute = Recompute::none;
  bool trains = true;         // false: forward only, nothing is saved
  bool cut_classes = false;   // logits are parts of a sum: the tensor-parallel share is not whole
  std::size_t row_parts = 1;  // of sequence parallelism
  SequenceShare sequence{};   // what the model's length is the local length of
  ContextMethod context = ContextMethod::ring;
  Axis* context_axis = nullptr;  // ranks that share sequences; null: none
  // The embeddings' backward computes the head's part of the tied table's gradient, so that a leaf
  // of it has both: canonical mode.
  bool ties_by_rows = false;
  // Of a pipeline's chunk: its first layer, and which ends of the model it has.
  std::size_t first_layer = 0;
  bool embeds = true, heads = true;
  std::size_t slots = 1;  // micro-batches whose activations are held at once
  std::size_t later = 0;  // that are between both halves of their backward at once
};

// Of the head, between the last unit's backward and the next forward: gradients of the logits, and
// the inputs that the tied table was multiplied by. Of all rows.
struct HeadRows {
  Array logits{}, inputs{};
};

// This rank's rows of sequences and what follows each token; negative: does not count. Device
// memory; tokens where the chunk embeds, targets where it has the head. Tokens count from the first
// one of this rank's share of the vocabulary, and are negative where they are another's; targets
// are those of the whole vocabulary.
struct MicroBatch {
  std::span<const std::int32_t> tokens{}, targets{};
  std::size_t sequences = 0;
  std::uint64_t dropout_key = 0;     // of (seed, step)
  std::uint64_t first_position = 0;  // of its first sequence in the global batch, for dropout
};

// One rank's model, or a chunk of it. Its work goes to one stream, in this order for each
// micro-batch: begin(); forward() of unit 0 to the last; backward() of the last unit to unit 0.
// Each of several micro-batches has a slot, which select() goes to.
class Model {
 public:
  // `table` is parameters_of() of the whole model and the share of `tensor`, `config` is
  // model_of_share(), or both of a chunk; all references outlive it. Activations are allocated
  // here, once.
  Model(const ModelConfig& config, const ParameterTable& table, const ModelOptions& options,
        Math& math, TensorParallel& tensor, Arena& arena);
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  // What follows is of this slot; of 0 before the first call.
  void select(std::size_t slot) { slot_ = slot; }
  // `batch` stays valid until the backward of unit 0.
  void begin(const MicroBatch& batch);

  // What goes between chunks, of [sequences * length, hidden]: the input of the first layer,
  // written by the caller where the chunk does not embed; the result of the last layer, of a chunk
  // without the head, until the next forward; the gradient of that result, by the caller before
  // backward, which turns it into that of the input.
  Array input() const;
  Array output() const;
  Array slope() const;

  // `parameters` of the unit. The last unit's forward computes logits, and losses where the model
  // does not train; it needs unit 0's parameters too (`embeddings`, unused by others), since the
  // head is tied.
  void forward(std::size_t unit, Array parameters, Array embeddings, Stream& stream);

  // Called when the gradient of a parameter (index in the table) has got all of this micro-batch.
  using Ready = std::function<void(std::size_t parameter)>;

  // Accumulates into `gradients` of the unit. The last unit's backward computes the losses, and
  // also accumulates the head's part into unit 0's (`embeddings`); with options.ties_by_rows, unit
  // 0's backward does. `loss_scale` multiplies all gradients, which are those of the sum over
  // tokens: the caller divides by their number.
  struct Gradients {
    Array own{}, embeddings{};
    Array second{};  // canonical mode: own of the later of a rank's two chunks of each sequence
    HeadRows head_rows{};  // for unit 0, where another chunk has the head
  };
  void backward(std::size_t unit, Array parameters, Array embeddings, const Gradients& gradients,
                double loss_scale, const Ready& ready, Stream& stream);

  // The same in two halves, of a pipeline's chunk that keeps everything for backward: first all but
  // what own gradients get, `head_gradient` is there already; then that, in the same order of
  // units, before the slot's next micro-batch. Parameters may be gone by then.
  void backward_input(std::size_t unit, Array parameters, Array embeddings, Array head_gradient,
                      double loss_scale, Stream& stream);
  void backward_weight(std::size_t unit, const Gradients& gradients, const Ready& ready,
                       Stream& stream);

  // Of the micro-batch's rows, once the stream has done the last unit's backward, or its forward
  // where the model does not train.
  std::span<const double> losses() const;
  // The same of whether a row's target had the largest logit: 0 where it does not count.
  std::span<const std::uint8_t> hits() const;
  // [sequences * length, vocabulary of this rank], between the last unit's forward and its
  // backward, which turns them into their gradient: for tests.
  Array logits() const;
  HeadRows head_rows() const;

 private:
  struct Parts;
  const std::unique_ptr<Parts> parts_;
  std::size_t slot_ = 0;
};

// Attention's tensors of all layers are there at the same time.
inline bool keeps_attention(const ModelOptions& options) {
  return options.trains && options.recompute == Recompute::none;
}

// Bytes of the activations that a Model allocates: a closed form, which the arena is held to.
std::size_t activation_bytes(const ModelConfig& config, const ModelOptions& options);

}  // namespace linerate::trainers
