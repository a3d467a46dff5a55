// In which order the ranks of a job stand on the mesh: along which axis neighbours do.
#pragma once

#include "base/result.h"
#include "trainers/layout/placement.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::trainers {

// The axes of the mesh. A rank's place is its number where they count in this order, the first one
// fastest: everything else is said of places, so that results do not depend on the order.
inline constexpr std::array<std::string_view, 4> kMeshAxes{"tp", "cp", "dp", "pp"};
inline constexpr std::string_view kUsualOrder = "tp-cp-dp-pp";
using MeshShape = std::array<std::size_t, kMeshAxes.size()>;  // ranks along each
using AxisOrder = std::array<std::size_t, kMeshAxes.size()>;  // their numbers, neighbours first

// "tp-pp-dp", as Megatron-LM's `order` has it: neighbours first. Axes that are left out follow.
Result<AxisOrder> parse_order(std::string_view text);
std::string text_of(const AxisOrder& order);

// The mesh of all ranks.
Mesh mesh_in_order(const MeshShape& shape, const AxisOrder& order);
// REQUIRES: the rank is one of the mesh.
int place_of(const MeshShape& shape, const AxisOrder& order, int rank);

// The order that `linerate topo place --format json` found for a cluster.
struct RankPlaces {
  std::size_t tp = 1, pp = 1;  // of its mesh; other ranks are those of cp and dp, cp fastest
  std::vector<int> places{};   // by rank; empty: the order is not given so
};

// The sentence goes on behind the file's name: ": …".
Result<RankPlaces> read_rank_places(std::string_view json);
inline constexpr std::size_t kMostPlacementBytes = std::size_t{64} << 20;

// How a run is asked to number its ranks, and why as many ranks cannot be numbered so.
struct RankOrder {
  std::string axes{kUsualOrder};
  RankPlaces given{};
};
std::optional<std::string> order_refusal(const RankOrder& order, const MeshShape& shape);
// REQUIRES: it is not refused.
int place_of(const RankOrder& order, const MeshShape& shape, int rank);
// The other way round: who stands at a place.
int rank_at(const RankOrder& order, const MeshShape& shape, int place);

}  // namespace linerate::trainers
