// The data of a run as a pure function of (seed, rank, index): exact in any order of reduction.
//
// Inputs depend on the operator and on nranks: with many ranks and few bits, most ranks must hold a
// neutral value. Collectives that only move data test more with RedOp::max, where no two ranks or
// indices look alike, or with nranks = 1; any `rank` is allowed there.
#pragma once

#include "comm/buffer.h"
#include "comm/content.h"

namespace linerate::pattern {

// Writes `content` over the view. REQUIRES: view.size() is a multiple of the element's bytes, and
// 1 <= content.nranks <= 65536. The view may be unaligned.
void fill(View view, const Content& content);

// Compares the view with `content` by bit pattern, floating avg within tolerance_of()
// (tolerance.h). Same requirement.
Comparison count_wrong(ConstView view, const Content& content);

}  // namespace linerate::pattern
