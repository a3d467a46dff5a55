// The bootstrap of processes that meet over TCP: env://, srun without PMIx, and --nprocs.
#pragma once

#include "launch/place.h"
#include "launch/tree/connect.h"

#include <memory>

namespace linerate {

// Takes part in the tree of `seat`: every collective runs along its edges, so that no process has
// more than three sockets. Collective over all members; learns where they run.
// `listener` is where this member's children connect; `parent` is where its parent listens.
std::unique_ptr<Bootstrap> tcp_bootstrap(TreeSeat seat, Listener listener,
                                         const std::optional<SocketAddress>& parent,
                                         const Deadline& deadline);

}  // namespace linerate
