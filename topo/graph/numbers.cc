// See numbers.h.
#include "topo/graph/numbers.h"

#include "topo/system/walk.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

// Devices of one kind on one host: those with a number keep it.
void number(const std::vector<int*>& devs) {
  std::set<int> taken;
  for (const int* dev : devs) taken.insert(*dev);
  int next = 0;
  for (int* dev : devs) {
    if (*dev >= 0) continue;
    while (taken.contains(next)) ++next;
    *dev = next++;
  }
}

std::vector<int*> gpus_by_bus(System& system, std::uint64_t host) {
  std::vector<std::pair<BusId, int*>> found;
  walk_devices(system, [&](Cpu& cpu, PciDevice& device, int) {
    if (cpu.host_hash == host && device.gpu) found.emplace_back(device.bus_id, &device.gpu->dev);
  });
  std::ranges::stable_sort(found, {}, &std::pair<BusId, int*>::first);
  std::vector<int*> devs;
  std::ranges::transform(found, std::back_inserter(devs), &std::pair<BusId, int*>::second);
  return devs;
}

std::vector<int*> ports(System& system, std::uint64_t host) {
  std::vector<int*> devs;
  for (auto& cpu : system.cpus) {
    if (cpu.host_hash != host) continue;
    const auto take = [&](auto& nets) {
      for (auto& net : nets) devs.push_back(&net.dev);
    };
    for (auto& device : cpu.devices) walk(device, [&](PciDevice& below, int) { take(below.nets); });
    take(cpu.nets);
  }
  return devs;
}

}  // namespace

std::vector<std::uint64_t> hosts_of(const System& system) {
  std::vector<std::uint64_t> hosts;
  for (const auto& cpu : system.cpus)
    if (std::ranges::count(hosts, cpu.host_hash) == 0) hosts.push_back(cpu.host_hash);
  return hosts;
}

void fill_numbers(System& system) {
  for (const auto host : hosts_of(system)) {
    number(gpus_by_bus(system, host));
    number(ports(system, host));
  }
}

}  // namespace linerate::topo
