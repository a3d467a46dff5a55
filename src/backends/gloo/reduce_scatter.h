// reduce_scatter, for which Gloo 0.5.0 has nothing that fits: its class wants ints and its own
// types.
#pragma once

#include "comm/op.h"

#include <gloo/context.h>

#include <cstddef>

namespace linerate::gloo {

// Bytes of memory that reduce_scatter() needs.
std::size_t reduce_scatter_scratch(const Op& op, int nranks);

// Every rank sends each other one its block, and reduces what comes for its own: what a ring moves,
// in one step instead of nranks - 1. Blocks go in segments, of which some are under way while one
// is reduced. `op.op` is one of sum, prod, max and min. Throws Gloo's exceptions.
void reduce_scatter(::gloo::Context& context, const Op& op, std::byte* scratch);

}  // namespace linerate::gloo
