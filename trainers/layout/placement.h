// The part of a tensor that a rank of a mesh holds.
#pragma once

#include "trainers/layout/mesh.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linerate::trainers {

// Of a tensor along an axis of the mesh. All ranks along it hold the same; or each a part of
// dimension `dim`; or each a term of a sum that nobody has computed.
struct Placement {
  enum class Kind : std::uint8_t { replicate, shard, partial };

  Kind kind = Kind::replicate;
  std::size_t dim = 0;  // of shard

  bool operator==(const Placement&) const = default;
};
constexpr Placement replicate() { return {}; }
constexpr Placement shard(std::size_t dim) { return {Placement::Kind::shard, dim}; }
constexpr Placement partial() { return {Placement::Kind::partial, 0}; }

using Placements = std::vector<Placement>;  // by axis of the mesh

// An axis shards the tensor.
inline bool is_sharded(const Placements& placements) {
  return std::ranges::find(placements, Placement::Kind::shard, &Placement::kind) !=
         placements.end();
}

struct Layout {
  std::vector<std::size_t> shape{};  // of the whole tensor
  Placements placements{};
};

// A block of a tensor, row-major.
struct Box {
  std::vector<std::size_t> offset{}, shape{};  // by dimension of the tensor

  std::size_t count() const;
  bool operator==(const Box&) const = default;
};

Box common(const Box& a, const Box& b);

// Axes split one after the other, each what the ones before it left, into parts of one size: the
// last parts are smaller or empty where the division leaves a rest. REQUIRES: a placement for each
// axis, and no dimension that the tensor lacks.
Box box_of(const Layout& layout, const Mesh& mesh, std::size_t rank);

// The ranks that hold the same elements: how many, and this one's place among them.
struct Copies {
  std::size_t count = 1, place = 0;
};
// REQUIRES: a placement for each axis, and none is partial.
Copies copies_of(const Placements& placements, const Mesh& mesh, std::size_t rank);

}  // namespace linerate::trainers
