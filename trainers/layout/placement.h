// Which part of a tensor each rank holds, and how tensors get from one layout to another.
//
// A mesh arranges ranks in a grid of named axes: data parallel ranks, replicas of these, tensor
// parallel ones. A layout says of a tensor and of each axis whether the ranks along it hold the
// same elements (replicate), parts of one dimension (shard) or terms of a sum (partial): PyTorch's
// DTensor. A matrix that is split by rows over axis 0, and whose rows axis 1 splits again, as FSDP
// over tensor parallelism does, is {shard(0), shard(0)}.
//   placement.h        ranks and their coordinates, and the part of a tensor that each holds
//   redistribution.h   the calls between two layouts, the bytes that they send, and their run
// The table of parameters (model/parameters.h) has a mesh and the placements on it, from which the
// engine's axes, stored state, byte counts and shares of a checkpoint follow. A step issues its own
// calls, in place and beside compute; redistribution is for all other times.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace linerate::trainers {

struct MeshAxis {
  std::string name{};
  std::size_t size = 1;
};

// Ranks by their coordinates, of which the first axis' grows fastest.
class Mesh {
 public:
  Mesh() = default;  // of one rank
  // REQUIRES: no axis is empty.
  explicit Mesh(std::vector<MeshAxis> axes) : axes_(std::move(axes)) {}

  const std::vector<MeshAxis>& axes() const { return axes_; }
  std::size_t nranks() const { return stride(axes_.size()); }
  // A rank's place along an axis; the key of Communicator::split().
  std::size_t coordinate(std::size_t rank, std::size_t axis) const {
    return rank / stride(axis) % axes_[axis].size;
  }
  // The rank at another place along this axis, and at the same along all others.
  std::size_t moved(std::size_t rank, std::size_t axis, std::size_t to) const {
    return rank + to * stride(axis) - coordinate(rank, axis) * stride(axis);
  }
  // The same for the ranks along an axis, and for no others: the colour of Communicator::split().
  std::size_t group(std::size_t rank, std::size_t axis) const { return moved(rank, axis, 0); }

 private:
  // Between neighbours along an axis.
  std::size_t stride(std::size_t axis) const {
    std::size_t stride = 1;
    for (std::size_t i = 0; i < axis; ++i) stride *= axes_[i].size;
    return stride;
  }

  std::vector<MeshAxis> axes_;
};

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
