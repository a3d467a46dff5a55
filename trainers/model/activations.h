// Memory of a Model besides parameters and gradients: the tensors that forward saves for backward,
// as an explicit list, and what backward works in.
#pragma once

#include "trainers/memory/arena.h"
#include "trainers/model/model.h"

#include <cstddef>
#include <vector>

namespace linerate::trainers {

// What backward needs of a norm. `mean` is empty with RMSNorm.
struct NormTensors {
  Array mean{}, rstd{}, y{};
};

// What backward needs of a block, in the order in which forward writes it.
struct BlockTensors {
  Array x{};  // the block's input
  NormTensors norm1{};
  Array qkv{};  // with RoPE: turned
  Array o{}, lse{};
  Array middle{};  // x + attention's branch
  NormTensors norm2{};
  Array up{};   // before the activation
  Array act{};  // behind it
};

// The same of the last unit, and its results.
struct HeadTensors {
  Array x{};
  NormTensors norm{};
  Array inputs{};  // of the product: all rows of norm.y
  Array logits{};  // backward turns them into their gradient
  Array losses{};  // float64
  Array hits{};    // uint8
  // Where classes are parts of a sum: the largest logits, the sums and the targets' logits;
  // float64.
  Array most{}, sums{};
};

// Backward's own: gradients of a block at a time.
struct Scratch {
  Array dx{};       // of the residual stream, from the head down to the embeddings
  Array dnarrow{};  // of a norm's output, or of attention's
  Array dwide{};    // of qkv, or of what the MLP's first projection yields
  Array dact{};     // of the MLP's activation: the same memory as `dwide` with GELU
  Array dbranch{};  // of a branch before its dropout; empty without dropout
};

class Activations {
 public:
  Activations(const ModelConfig& config, const ModelOptions& options, Arena& arena);

  const BlockTensors& block(std::size_t slot, std::size_t layer) const {
    return blocks_[slot * layers_ + layer];
  }
  const HeadTensors& head(std::size_t slot) const { return heads_[slot]; }
  const Scratch& scratch() const { return scratch_; }
  // Where a block writes its result: the next one's input, or the head's, or what is sent on. It
  // may be its own input.
  Array output_of(std::size_t slot, std::size_t layer) const {
    if (layer + 1 < layers_) return block(slot, layer + 1).x;
    return heads_.empty() ? output_ : heads_[slot].x;
  }

 private:
  const std::size_t layers_;
  std::vector<BlockTensors> blocks_;  // by slot, then by layer
  std::vector<HeadTensors> heads_;    // by slot, where the chunk has the head
  Array output_{};                    // where it has none: of any slot
  Scratch scratch_;
  std::vector<Block> memory_;
};

}  // namespace linerate::trainers
