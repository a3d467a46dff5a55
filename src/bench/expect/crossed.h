// What a collective cannot help but send between nodes.
#pragma once

#include "collectives/collective.h"

#include <cstddef>
#include <span>
#include <vector>

namespace linerate {

// Elements that leave and enter each node at least, and the least that all nodes together send.
struct Crossed {
  std::vector<std::size_t> sent{}, received{};  // by node
  std::size_t total = 0;                        // no less than the sum of either
  std::vector<std::size_t> needs{};             // by rank: what it cannot do without of other nodes
  bool in_step = false;  // each rank needs something of each other: none can run ahead by two calls
  bool shared = false;   // sums, or what several ranks need: what rings and trees pass on

  // How many ranks need something of another node, and whether all do.
  std::size_t waiting() const;
  bool all_wait() const { return waiting() == needs.size(); }
  bool operator==(const Crossed&) const = default;
};

// From what every rank's receive buffer must hold (Collective::expect): no algorithm sends less. A
// part that several ranks of a node need enters it once, and one that several nodes need leaves its
// own once: others may pass it on. Of a reduced element each node sends its share once, combined,
// and whoever needs it receives it once; in total that is a transfer for each node but the one
// where it is completed, and one more for each other node that needs it. `nodes[r]` is the node of
// rank r, counted from 0; `sizing.rank` does not matter. On one node all is 0 and false, and
// `needs` is empty.
Crossed crossed_by(const Collective& collective, const Sizing& sizing, int root,
                   std::span<const int> nodes);

}  // namespace linerate
