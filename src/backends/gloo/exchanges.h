// Calls made of Gloo's sends and receives: those between single ranks, all_to_all_v and
// reduce_scatter.
#pragma once

#include "comm/op.h"

#include <gloo/context.h>

#include <cstddef>
#include <span>

namespace linerate::gloo {

// All block the calling rank until its part is done, and throw Gloo's exceptions.

void send(::gloo::Context& context, const Op& op);
void recv(::gloo::Context& context, const Op& op);
// With itself too; the two buffers must then be the same or apart.
void send_recv(::gloo::Context& context, const Op& op);

// All of `ops`, which are sends and receives, at once; with itself too.
void exchange(::gloo::Context& context, std::span<const Op> ops);

// The algorithm of Gloo's own alltoallv, whose parts must lie one behind the other: ours need not.
void all_to_all_v(::gloo::Context& context, const Op& op);

// Bytes of memory that reduce_scatter() needs.
std::size_t reduce_scatter_scratch(const Op& op, int nranks);

// Every rank sends each other one its block, and reduces what comes for its own: what a ring moves,
// in one step instead of nranks - 1. Blocks go in segments, of which some are under way while one
// is reduced. `op.op` is one of sum, prod, max and min. Throws Gloo's exceptions.
void reduce_scatter(::gloo::Context& context, const Op& op, std::byte* scratch);

}  // namespace linerate::gloo
