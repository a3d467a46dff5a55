// The hardware threads that all ranks of a node have together.
#pragma once

#include "bench/session.h"

#include <span>
#include <vector>

namespace linerate {

// Hardware threads as first and one past the last of each run of them: short, for most masks.
using CoreRanges = std::vector<int>;

// REQUIRES: `cores` ascend.
CoreRanges ranges_of(std::span<const int> cores);

// Those in any of `all` that are not in `own`, in ascending order.
std::vector<int> cores_beside(const CoreRanges& own, std::span<const CoreRanges> all);

// Those of the other threads of this thread's node that this thread is not bound to itself: empty
// where nobody is bound. Collective over all threads.
std::vector<int> cores_of_others(Session& session);

}  // namespace linerate
