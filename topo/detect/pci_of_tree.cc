// See pci_of_tree.h.
#include "topo/detect/pci_of_tree.h"

#include "topo/detect/tree_file.h"
#include "topo/system/link_state.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace linerate::topo {
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
