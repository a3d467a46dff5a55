// The bootstrap of processes that meet over TCP: env://, srun without PMIx, and --nprocs.
//
// Processes form a binary tree: connect.cc makes a member's edges, tree.h moves messages along them
// and spreads failures. No process has more than three sockets.
#pragma once

#include "launch/net/socket.h"
#include "launch/place.h"
#include "launch/tree/tree.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// One process as a member of a tree.
struct TreeMember {
  int rank = 0;
  int nranks = 1;
  std::string name{};   // of this member, for the neighbours' messages: "rank 3 (node07, pid 4711)"
  std::string token{};  // what every neighbour must know; empty: nothing
};

// The parent is the first of the links. Every member listens before it tells its address, so that
// nobody connects in vain. Strangers at the listener are refused or dropped. Throws TimeoutError
// that says who has not come.
std::vector<TreeLink> connect_tree(const TreeMember& member, Listener listener,
                                   const std::optional<SocketAddress>& parent,
                                   const Deadline& deadline);

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
