// What keeps a rank busy beside the collective that is measured (--beside): products of matrices,
// copies, or calls of a second communicator.
#pragma once

#include "bench/session.h"

#include <cstddef>
#include <functional>

namespace linerate {

// Enqueues one unit on a stream: a product, a copy, or a call. Used by its rank's thread.
using Load = std::function<void(Stream&)>;

// Of one rank's buffers.
std::size_t load_bytes(const LoadOptions& options);

// Yields what is measured: of products their size and type on this device, else `options`. Throws
// Error where a device, this backend or these ranks cannot have the load, or where it does not fit
// into `memory_bytes` of each rank: the same on all threads. Collective.
LoadOptions checked_load(LoadOptions options, Session& session, std::size_t memory_bytes);

// Allocates what the load works on, and for a collective makes a communicator of its own; both live
// as long as the rank. Collective. REQUIRES: `options` are those of checked_load().
Load make_load(const LoadOptions& options, RankContext& rank);

}  // namespace linerate
