// What a call makes each rank send.
#pragma once

#include "comm/op.h"

#include <cstdint>

namespace linerate {

// Bytes that `op` makes rank `rank` of `nranks` send: what the best algorithm sends, not what the
// backend's did. all_reduce counts as reduce_scatter and all_gather of even parts.
std::uint64_t wire_bytes(const Op& op, int rank, int nranks);

}  // namespace linerate
