// Ulysses: each rank exchanges its positions of all heads for all positions of its heads, attends
// to whole sequences, and exchanges what comes out back.
#pragma once

#include "trainers/parallel/context.h"

namespace linerate::trainers {

// What forward saves for backward, of this rank's heads and all positions, in their order.
struct HeadsOfSequences {
  HeadsOfSequences(const ContextTools& tools, const Attention& mine);

  Attention attention{};  // [batch, length, q | k | v]

 private:
  Block qkv_, o_, lse_;
};

// `mine` are this rank's rows of each sequence: its length is split.local_length(); its lse is not
// used. As Math::attention_forward: enqueued on tools.compute; calls run on the axis' stream.
// REQUIRES: the ranks divide both numbers of heads.
void ulysses_forward(const ContextTools& tools, const Attention& mine,
                     const HeadsOfSequences& saved);
void ulysses_backward(const ContextTools& tools, const Attention& mine,
                      const HeadsOfSequences& saved, const AttentionSlopes& slopes);

}  // namespace linerate::trainers
