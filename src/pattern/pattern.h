// The data of a run as a pure function of (seed, rank, index): exact in any order of reduction.
#pragma once

#include "comm/buffer.h"
#include "comm/content.h"

namespace linerate::pattern {

// Writes `content` over the view. REQUIRES: view.size() is a multiple of the element's bytes.
void fill(View view, const Content& content);

// Compares the view with `content` by bit pattern; floating avg within 2 ULP. Same requirement.
Comparison count_wrong(ConstView view, const Content& content);

}  // namespace linerate::pattern
