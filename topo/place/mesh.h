// The mesh of a training job: ranks along the axes tensor, data and pipeline parallel.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

enum class Axis : std::uint8_t { tp, dp, pp };
inline constexpr std::size_t kAxes = 3;
inline constexpr std::array<Axis, kAxes> kAllAxes{Axis::tp, Axis::dp, Axis::pp};

std::string_view name_of(Axis axis);  // "tp"

// How many ranks stand along each axis, by Axis.
struct Mesh {
  std::array<int, kAxes> sizes{1, 1, 1};

  int size(Axis axis) const { return sizes[static_cast<std::size_t>(axis)]; }
  int nranks() const { return sizes[0] * sizes[1] * sizes[2]; }
};

// Innermost first: neighbours by rank are neighbours on the first axis.
using AxisOrder = std::array<Axis, kAxes>;

// All orders that number the ranks differently: axes of one rank stand behind the others.
std::vector<AxisOrder> orders_of(const Mesh& mesh);

// Those with more than one rank, outermost first: "pp dp tp"; "none" where there are none.
std::string outermost_first(const Mesh& mesh, const AxisOrder& order);

// How far ranks that are neighbours on `axis` are apart.
int stride_of(const Mesh& mesh, const AxisOrder& order, Axis axis);

// Where the rank stands on the axis.
int coordinate_of(const Mesh& mesh, const AxisOrder& order, Axis axis, int rank);

}  // namespace linerate::topo
