// The bootstrap of processes that meet over TCP: env://, srun without PMIx, and --nprocs.
//
// Processes form a binary tree: connect.h makes a member's edges, link.h is one of them, tree.h
// moves messages along them and spreads failures. No process has more than three sockets.
#pragma once

#include "launch/place.h"
#include "launch/tree/connect.h"

#include <memory>
#include <string>

namespace linerate {

// Takes part in the tree of `member`: every collective runs along its edges, so that no process has
// more than three sockets. Collective over all members; learns where they run.
// `listener` is where this member's children connect; `parent` is where its parent listens.
std::unique_ptr<Bootstrap> tcp_bootstrap(TreeMember member, Listener listener,
                                         const std::optional<SocketAddress>& parent,
                                         const Deadline& deadline);

// The numeric address at which the other members reach this one; empty where `bootstrap` is not one
// of these.
std::string host_of(const Bootstrap& bootstrap);

}  // namespace linerate
