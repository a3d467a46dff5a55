// Attention of a model's layers to sequences that are whole on this rank, or cut among those of an
// axis.
#pragma once

#include "trainers/parallel/ulysses.h"
#include "trainers/parallel/whole_attention.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace linerate::trainers {

struct ContextOptions {
  Axis* axis = nullptr;          // ranks that share sequences; null: none
  bool exchanges_heads = false;  // Ulysses; else the ring
  SequenceSplit split{};
  std::size_t leaves = 1;  // canonical mode: of a sequence; fast mode has one
  std::size_t kept = 1;    // layers whose forward is saved for backward at the same time
};

// Used by the rank's thread.
class ContextAttention {
 public:
  // Both references, and the axis, outlive it.
  ContextAttention(const ContextOptions& options, Math& math, Arena& arena)
      : options_(options), math_(math), arena_(arena), saved_(options.kept) {}

  // `mine` are this rank's rows. Backward goes with the forward of the same layer before it.
  void forward(std::size_t layer, const Attention& mine, Stream& stream);
  void backward(std::size_t layer, const Attention& mine, const AttentionSlopes& slopes,
                Stream& stream);

 private:
  ContextTools tools(Stream& stream) const;
  std::size_t leaf_length() const {
    return options_.leaves > 1 ? options_.split.length / options_.leaves : 0;
  }
  std::optional<HeadsOfSequences>& saved(std::size_t layer) {
    return saved_[layer % saved_.size()];
  }

  const ContextOptions options_;
  Math& math_;
  Arena& arena_;
  std::vector<std::optional<HeadsOfSequences>> saved_;  // Ulysses
};

}  // namespace linerate::trainers
