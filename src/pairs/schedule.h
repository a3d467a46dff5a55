// Which pairs of ranks are measured at once: matchings of nodes by the circle method, in an order
// drawn by random.
//
// linerate sweep pairs, from the bottom up (pure: the same code runs on a cluster and on the
// simulator of its tests):
//   schedule.h   nodes and their ranks; pairs of a round
//   estimate.h   what the rounds say: a base, the deficit of each rank, who is suspect
//   judge.h      what tests of a suspect alone say: a fault with its evidence, or none
//   search.h     the order of it all: rounds, tests of suspects, verdicts
//   text.h       the table, JSON, and lists of nodes to leave out
#pragma once

#include "base/splitmix.h"
#include "bench/pairs.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::pairs {

// What is searched: nodes, and behind each its ranks. Where all ranks are on one node, each of them
// counts as a node of its own.
struct Layout {
  struct Place {
    int node = 0;
    int rail = 0;  // index among the ranks of its node
  };
  std::vector<Place> places{};            // by rank
  std::vector<std::vector<int>> ranks{};  // by node and rail
  bool one_host = false;                  // then a node is a rank

  int nranks() const { return static_cast<int>(places.size()); }
  int nnodes() const { return static_cast<int>(ranks.size()); }
  int nrails() const;  // of the node with most
  Place place(int rank) const { return places[static_cast<std::size_t>(rank)]; }
  const std::vector<int>& of_node(int node) const { return ranks[static_cast<std::size_t>(node)]; }
};
// `nodes[r]` is the node of rank r, from 0.
Layout layout_of(std::span<const int> nodes);

// Pairs of ranks of one rail, where each node has one partner: so many matchings, all different
// as long as there are others. Their pairs are in an order drawn by random.
std::vector<Round> matchings(const Layout& layout, std::size_t count, SplitMix& random);

// The round in so many parts of equal size, fewer where it has fewer pairs.
std::vector<Round> in_parts(const Round& round, std::size_t parts);

}  // namespace linerate::pairs
