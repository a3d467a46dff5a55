#include "topo/place/mesh.h"

#include <algorithm>
#include <cmath>
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

namespace {

std::size_t activation_bytes(const Workload& workload) {
  std::size_t bytes = static_cast<std::size_t>(workload.bytes_per_element);
  for (const int factor : {workload.micro_batch, workload.seq, workload.hidden})
    bytes *= static_cast<std::size_t>(factor);
  return bytes;
}

}  // namespace

AxisTraffic traffic_of(const Workload& workload, const Mesh& mesh, Axis axis) {
  constexpr int kAllReducesOfALayer = 4, kWays = 2;
  if (mesh.size(axis) == 1) return {};
  const int stages = mesh.size(Axis::pp);
  switch (axis) {
    case Axis::tp: {
      const int layers = (workload.layers + stages - 1) / stages;
      return {static_cast<double>(kAllReducesOfALayer) * layers * workload.micro_batches,
              activation_bytes(workload)};
    }
    case Axis::dp: {
      const double shares = static_cast<double>(mesh.size(Axis::tp)) * stages;
      const double bytes = std::ceil(workload.params / shares) * workload.bytes_per_element;
      return {1, static_cast<std::size_t>(std::max(1.0, bytes))};
    }
    case Axis::pp:
      return {static_cast<double>(kWays) * workload.micro_batches, activation_bytes(workload)};
  }
  __builtin_unreachable();
}

}  // namespace linerate::topo
