#include "topo/place/mesh.h"

#include <algorithm>
#include <ranges>

namespace linerate::topo {

std::string_view name_of(Axis axis) {
  constexpr std::array<std::string_view, kAxes> kNames{"tp", "dp", "pp"};
  return kNames[static_cast<std::size_t>(axis)];
}

std::vector<AxisOrder> orders_of(const Mesh& mesh) {
  std::vector<AxisOrder> orders;
  AxisOrder order = kAllAxes;
  do {
    AxisOrder plain = order;
    const auto lone = [&](Axis axis) { return mesh.size(axis) == 1; };
    const auto behind =
        std::ranges::stable_partition(plain, [&](Axis axis) { return !lone(axis); });
    std::ranges::sort(behind);
    if (std::ranges::count(orders, plain) == 0) orders.push_back(plain);
  } while (std::ranges::next_permutation(order).found);
  return orders;
}

std::string outermost_first(const Mesh& mesh, const AxisOrder& order) {
  std::string text;
  for (const Axis axis : std::views::reverse(order)) {
    if (mesh.size(axis) == 1) continue;
    if (!text.empty()) text += ' ';
    text += name_of(axis);
  }
  return text.empty() ? "none" : text;
}

int stride_of(const Mesh& mesh, const AxisOrder& order, Axis axis) {
  int stride = 1;
  for (const Axis inner : order) {
    if (inner == axis) return stride;
    stride *= mesh.size(inner);
  }
  return stride;
}

int coordinate_of(const Mesh& mesh, const AxisOrder& order, Axis axis, int rank) {
  return rank / stride_of(mesh, order, axis) % mesh.size(axis);
}

}  // namespace linerate::topo
