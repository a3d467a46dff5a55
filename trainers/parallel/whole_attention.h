// Attention to whole sequences on one rank: in one go, or by leaves as canonical mode has them.
#pragma once

#include "trainers/parallel/context.h"

#include <cstddef>

namespace linerate::trainers {

struct WholeTools {
  Math& math;
  Arena& arena;
  Stream& compute;
};

// `leaf`: positions of a leaf; 0: fast mode. q, k and v lie side by side, and so do their
// gradients: as whole_block() has them.
void whole_forward(const WholeTools& tools, const Attention& what, std::size_t leaf);
void whole_backward(const WholeTools& tools, const Attention& what, std::size_t leaf,
                    const AttentionSlopes& slopes);

}  // namespace linerate::trainers
