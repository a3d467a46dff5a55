// Calls between single ranks, and all_to_all_v, made of Gloo's sends and receives.
#pragma once

#include "comm/op.h"

#include <gloo/context.h>

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

}  // namespace linerate::gloo
