// See only_gpus.h.
#include "topo/place/only_gpus.h"

#include "topo/graph/numbers.h"

#include <set>
#include <utility>
#include <vector>

namespace linerate::topo {
namespace {

using PlacesOfGpus = std::set<std::pair<std::uint64_t, BusId>>;  // host and bus id

void keep_gpus(std::vector<PciDevice>& devices, std::uint64_t host, const PlacesOfGpus& kept) {
  std::erase_if(devices, [&](const PciDevice& device) {
    return device.gpu && !kept.contains({host, device.bus_id});
  });
  for (auto& device : devices) keep_gpus(device.children, host, kept);
}

}  // namespace

System only_gpus(const Graph& graph, std::span<const int> gpus) {
  System system = graph.system();
  const auto hosts = hosts_of(system);
  PlacesOfGpus kept;
  for (const int n : gpus) {
    const Node& node = graph.node(n);
    kept.emplace(hosts[static_cast<std::size_t>(node.host)], node.bus_id);
  }
  for (auto& cpu : system.cpus) keep_gpus(cpu.devices, cpu.host_hash, kept);
  return system;
}

}  // namespace linerate::topo
