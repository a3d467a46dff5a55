#include "topo/detect/pci_tree.h"

#include "topo/detect/sysfs.h"
#include "topo/system/links.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
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
  constexpr std::uint32_t kIntel = 0x8086;
  constexpr std::uint32_t kOtherDisplay = 0x0380;  // Intel's for computing
  if (device.vendor == kNvidiaVendor) return is_display_class(device.class_code);
  if (device.vendor == kAmdVendor) return is_gpu_class(device.class_code);
  return device.vendor == kIntel && device.class_code >> 8 == kOtherDisplay;
}

FoundPci* find_device(std::vector<FoundPci>& devices, const BusId& id) {
  for (auto& found : devices)
    if (found.device.bus_id == id) return &found;
  return nullptr;
}

void attach_devices(std::vector<FoundPci> found, System& system) {
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

namespace {

namespace fs = std::filesystem;

std::uint32_t code_in(const fs::path& file) {
  return static_cast<std::uint32_t>(number_in(file).value_or(0));
}

// "Unknown" and "Unknown speed" are what Linux says where nothing is trained or can be told.
PciLink link_in(const fs::path& device, std::string_view which) {
  const auto file = [&](std::string_view what) {
    return device / (std::string(which) + "_link_" + std::string(what));
  };
  constexpr std::int64_t kMaxLanes = 32;  // 63 and 255 stand for "unknown"
  PciLink link{.speed = text_in(file("speed"))};
  if (link.speed.starts_with("Unknown")) link.speed.clear();
  const auto width = number_in(file("width")).value_or(0);
  if (width > 0 && width <= kMaxLanes) link.width = static_cast<int>(width);
  return link;
}

// Of two ends of one link; what one of them does not tell, the other one does.
PciLink narrower(const PciLink& device, const PciLink& port) {
  PciLink link = device;
  const double speed = gigatransfers_of(device.speed), port_speed = gigatransfers_of(port.speed);
  if (port_speed > 0 && (speed <= 0 || port_speed < speed)) link.speed = port.speed;
  if (port.width > 0 && (link.width == 0 || port.width < link.width)) link.width = port.width;
  return link;
}

// Broadcom's driver names the switches that a switch reaches beside the processor (NCCL,
// src/os/linux.cc).
std::vector<BusId> switch_peers(const fs::path& root, const PciDevice& device) {
  constexpr std::uint32_t kBroadcom = 0x1000;
  std::vector<BusId> peers;
  if (device.vendor != kBroadcom) return peers;
  const auto links = root / "sys/kernel/pci_switch_link/virtual_switch_links";
  for (const auto& name : names_in(links / text_of(device.bus_id)))
    if (const auto id = bus_id_of(name)) peers.push_back(*id);
  return peers;
}

PciDevice device_in(const fs::path& root, const fs::path& place, const BusId& id) {
  PciDevice device{.bus_id = id,
                   .class_code = code_in(place / "class"),
                   .vendor = code_in(place / "vendor"),
                   .device = code_in(place / "device"),
                   .subsystem_vendor = code_in(place / "subsystem_vendor"),
                   .subsystem_device = code_in(place / "subsystem_device"),
                   .link = link_in(place, "current"),
                   .max_link = link_in(place, "max")};
  const auto port = place.parent_path();
  if (bus_id_of(port.filename())) {
    device.link = narrower(device.link, link_in(port, "current"));
    device.max_link = narrower(device.max_link, link_in(port, "max"));
  }
  device.pci_peers = switch_peers(root, device);
  if (is_gpu(device)) device.gpu.emplace();
  return device;
}

std::vector<BusId> bridges_above(const fs::path& place) {
  std::vector<BusId> above;
  for (auto at = place.parent_path(); const auto id = bus_id_of(at.filename());
       at = at.parent_path())
    above.push_back(*id);
  return above;
}

}  // namespace

std::optional<BusId> bus_id_of(const fs::path& name) {
  const auto text = name.string();
  if (std::ranges::count(text, ':') != 2) return std::nullopt;  // as /sys writes them
  const auto id = parse_bus_id(text);
  return id ? std::optional(*id) : std::nullopt;
}

std::vector<FoundPci> pci_of_tree(const fs::path& root, std::vector<std::string>& unseen) {
  const auto folder = root / "sys/bus/pci/devices";
  std::vector<FoundPci> found;
  for (const auto& name : names_in(folder)) {
    const auto place = real_path(root, folder / name);
    const auto id = bus_id_of(name);
    if (!id || place.empty()) continue;
    found.push_back({.device = device_in(root, place, *id),
                     .above = bridges_above(place),
                     .numa = static_cast<int>(number_in(place / "numa_node").value_or(-1))});
  }
  if (found.empty())
    unseen.emplace_back("No PCI devices: /sys/bus/pci/devices is not there or empty.");
  return found;
}

}  // namespace linerate::topo
