#include "trainers/layout/placement.h"

#include "model/training_bytes.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

namespace linerate::trainers {

std::size_t Box::count() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

Box common(const Box& a, const Box& b) {
  Box box;
  for (std::size_t dim = 0; dim < a.shape.size(); ++dim) {
    const auto begin = std::max(a.offset[dim], b.offset[dim]);
    const auto end = std::min(a.offset[dim] + a.shape[dim], b.offset[dim] + b.shape[dim]);
    box.offset.push_back(begin);
    box.shape.push_back(begin < end ? end - begin : 0);
  }
  return box;
}

Box box_of(const Layout& layout, const Mesh& mesh, std::size_t rank) {
  Box box{.offset = std::vector<std::size_t>(layout.shape.size()), .shape = layout.shape};
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    const auto& placement = layout.placements[axis];
    if (placement.kind != Placement::Kind::shard) continue;
    auto& count = box.shape[placement.dim];
    const auto part = shard_count(count, mesh.axes()[axis].size);
    const auto begin = std::min(part * mesh.coordinate(rank, axis), count);
    box.offset[placement.dim] += begin;
    count = std::min(part, count - begin);
  }
  return box;
}

Copies copies_of(const Placements& placements, const Mesh& mesh, std::size_t rank) {
  Copies copies;
  for (std::size_t axis = 0; axis < mesh.axes().size(); ++axis) {
    assert(placements[axis].kind != Placement::Kind::partial);
    if (placements[axis].kind == Placement::Kind::shard) continue;
    copies.place += mesh.coordinate(rank, axis) * copies.count;
    copies.count *= mesh.axes()[axis].size;
  }
  return copies;
}

}  // namespace linerate::trainers
