// The data of a run as a pure function of (seed, rank, index): exact in any order of reduction.
//
// Inputs depend on the operator and on nranks: with many ranks and few bits, most ranks must hold a
// neutral value. Collectives that only move data test more with RedOp::max, where no two ranks or
// indices look alike, or with nranks = 1; any `rank` is allowed there. The parts:
//   formats    what the generator must know of each element type
//   families   how inputs are drawn for sums, products and extremes, and what their result is
//   plan       the constants of one Content; how far a result may be from the expected one
//   spot       the hash of an index, and what it means for all ranks
//   generate   one element, on CPUs and GPUs alike
//   pattern    ranges of elements as vectorised loops
#pragma once

#include "comm/buffer.h"
#include "comm/content.h"

namespace linerate::pattern {

// Writes `content` over the view. REQUIRES: view.size() is a multiple of the element's bytes, and
// 1 <= content.nranks <= 65536. The view may be unaligned.
void fill(View view, const Content& content);

// Compares the view with `content` by bit pattern, floating avg within tolerance_of()
// (plan.h). Same requirement.
Comparison count_wrong(ConstView view, const Content& content);

}  // namespace linerate::pattern
