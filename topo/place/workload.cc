#include "topo/place/workload.h"

#include <algorithm>
#include <cmath>

namespace linerate::topo {
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
