// Sets up one member's edges of the tree: accepts its children, connects to its parent.
#pragma once

#include "launch/net/socket.h"
#include "launch/tree/link.h"

#include <optional>
#include <string>
#include <vector>

namespace linerate {

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

}  // namespace linerate
