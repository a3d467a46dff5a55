// From one layout of a tensor to another, axis by axis:
//   shard(d) -> replicate   all_gather        partial -> replicate   all_reduce
//   partial -> shard(d)     reduce_scatter    shard(i) -> shard(j)   all_to_all_v
//   replicate -> shard(d)   no call: each rank keeps its part
#pragma once

#include "comm/communicator.h"
#include "trainers/layout/placement.h"
#include "trainers/memory/arena.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::trainers {

// The change along one axis.
struct Transition {
  std::size_t axis = 0;
  Placement from{}, to{};

  bool operator==(const Transition&) const = default;
};

// In the order in which they are made. An axis that splits what an axis before it left is gathered
// first where that one changes. REQUIRES: nothing becomes partial.
std::vector<Transition> transitions(const Placements& from, const Placements& to);

// Elements that a rank sends, in closed form. A call of equal parts counts the padding of the last
// ones.
std::uint64_t redistribution_sends(const Layout& from, const Placements& to, const Mesh& mesh,
                                   std::size_t rank);

// One rank's. Everything outlives the calls that it is given to.
struct RedistributionTools {
  const Mesh& mesh;
  std::size_t rank = 0;                 // of the mesh
  std::span<Communicator* const> axes;  // by axis: the ranks along it, by their coordinates
  Arena& arena;
  Stream& stream;
};

// This rank's part in the layout `to`, in new memory; `local` is its part in the layout `from`.
// Collective over the mesh. Returns when it is done: for what is no part of each step.
Block redistribute(const Layout& from, const Placements& to, const Array& local,
                   const RedistributionTools& tools);

}  // namespace linerate::trainers
