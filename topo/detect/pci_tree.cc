// See pci_tree.h.
#include "topo/detect/pci_tree.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace linerate::topo {
namespace {

using ByBusId = std::map<BusId, FoundPci>;

// NCCL climbs two bridges at a time: from a device over the downstream to the upstream port of its
// switch. Yields null where the processor comes first.
FoundPci* switch_above(const FoundPci& found, ByBusId& all) {
  if (found.above.size() < 2) return nullptr;
  const auto above = all.find(found.above[1]);
  return above == all.end() ? nullptr : &above->second;
}

// Bus ids of the devices worth showing: GPUs, NICs and the switches above them.
std::map<BusId, int> kept_devices(ByBusId& all) {
  std::map<BusId, int> kept;  // and how deep below the processor
  for (auto& [id, found] : all) {
    if (!found.device.gpu && found.device.nets.empty()) continue;
    std::vector<BusId> way;
    for (FoundPci* at = &found; at != nullptr && way.size() <= all.size();
         at = switch_above(*at, all))
      way.push_back(at->device.bus_id);
    for (std::size_t n = 0; n < way.size(); ++n)
      kept[way[n]] = static_cast<int>(way.size() - 1 - n);
  }
  return kept;
}

Cpu& cpu_of(int numa, System& system) {
  if (numa < 0 && system.cpus.size() == 1) return system.cpus.front();
  const auto found = std::ranges::find(system.cpus, numa, &Cpu::numa);
  if (found != system.cpus.end()) return *found;
  // Of the same make as the others, and of no threads that we know.
  const auto like = system.cpus.empty() ? Cpu{} : system.cpus.front();
  system.cpus.push_back({.numa = numa,
                         .arch = like.arch,
                         .vendor = like.vendor,
                         .family = like.family,
                         .model = like.model,
                         .name = like.name});
  return system.cpus.back();
}

}  // namespace

bool is_gpu(const PciDevice& device) {
  constexpr std::uint32_t kNvidia = 0x10de, kAmd = 0x1002, kIntel = 0x8086;
  constexpr std::uint32_t kDisplay = 0x03, kAccelerator = 0x12;  // first byte of the class
  constexpr std::uint32_t kOtherDisplay = 0x0380;                // Intel's for computing
  const auto base = device.class_code >> 16;
  if (device.vendor == kNvidia) return base == kDisplay;
  if (device.vendor == kAmd) return base == kDisplay || base == kAccelerator;
  return device.vendor == kIntel && device.class_code >> 8 == kOtherDisplay;
}

void hang(std::vector<FoundPci> found, System& system) {
  ByBusId all;
  for (auto& one : found) {
    const auto id = one.device.bus_id;
    all.emplace(id, std::move(one));
  }
  const auto kept = kept_devices(all);
  std::vector<std::pair<int, BusId>> deepest_first;
  deepest_first.reserve(kept.size());
  for (const auto& [id, depth] : kept) deepest_first.emplace_back(-depth, id);
  std::ranges::sort(deepest_first);
  // A device is whole when it is moved: all below it lie deeper, and come in the order of bus ids.
  for (const auto& [depth, id] : deepest_first) {
    auto& one = all.at(id);
    FoundPci* above = switch_above(one, all);
    // Only a forged tree names a device above itself.
    if (above != nullptr && kept.at(above->device.bus_id) != -depth - 1) above = nullptr;
    auto& siblings = above != nullptr ? above->device.children : cpu_of(one.numa, system).devices;
    siblings.push_back(std::move(one.device));
  }
}

}  // namespace linerate::topo
