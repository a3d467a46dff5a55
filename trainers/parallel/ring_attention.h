// Ring attention: each rank keeps its queries, and keys and values of all ranks pass by.
//
// While a rank computes with one rank's keys and values, those of the next arrive. In backward they
// pass once more, and the sums of their gradients follow a step behind, until they are home.
// Blocks that the mask hides whole are not computed.
//
// In canonical mode a rank gathers all keys and values first, and sends to each chunk's owner its
// leaves' parts of the gradients.
#pragma once

#include "trainers/parallel/context.h"

namespace linerate::trainers {

// `mine` are this rank's rows of each sequence: its length is split.local_length(). As
// Math::attention_forward: enqueued on tools.compute; calls run on the axis' stream.
void ring_attention_forward(const ContextTools& tools, const Attention& mine);
void ring_attention_backward(const ContextTools& tools, const Attention& mine,
                             const AttentionSlopes& slopes);

}  // namespace linerate::trainers
