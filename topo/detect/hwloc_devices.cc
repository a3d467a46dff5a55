#include "topo/detect/hwloc_devices.h"

#include "base/text.h"
#include "topo/detect/sysfs_text.h"
#include "topo/system/bus_id.h"
#include "topo/system/gpu_models.h"

#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace linerate::topo {
namespace {

using PciFacts = decltype(hwloc_obj_attr_u::pcidev);

std::string_view told(hwloc_obj_t object, const std::string& name) {
  const char* const text = hwloc_obj_get_info_by_name(object, name.c_str());
  return text != nullptr ? text : "";
}

BusId bus_id_of_pci(const PciFacts& pci) {
  return {.domain = pci.domain, .bus = pci.bus, .device = pci.dev, .function = pci.func};
}

const PciFacts* pci_of(hwloc_obj_t object) {
  if (object->type == HWLOC_OBJ_PCI_DEVICE) return &object->attr->pcidev;
  if (object->type != HWLOC_OBJ_BRIDGE) return nullptr;
  const auto& bridge = object->attr->bridge;
  return bridge.upstream_type == HWLOC_OBJ_BRIDGE_PCI ? &bridge.upstream.pci : nullptr;
}

// The ports that an InfiniBand or RoCE device names.
std::vector<Net> ports_of(hwloc_obj_t device) {
  constexpr std::array<std::string_view, 5> kStates{"", "DOWN", "INIT", "ARMED", "ACTIVE"};
  constexpr int kMaxPorts = 255;
  std::vector<Net> ports;
  for (int port = 1; port <= kMaxPorts; ++port) {
    const auto state = parse_integer("state", told(device, fmt::format("Port{}State", port)));
    if (!state && port > 1) break;
    const bool known = state && *state > 0 && *state < std::ssize(kStates);
    ports.push_back(
        {.name = device->name,
         .port = port,
         .guid = guid_of(told(device, "NodeGUID")),
         .state = std::string(known ? kStates.at(static_cast<std::size_t>(*state)) : "")});
  }
  return ports;
}

// "nvml3" is the driver's third.
void describe_gpu(hwloc_obj_t device, Gpu& gpu) {
  constexpr std::string_view kNvml = "nvml";
  const std::string_view name = device->name;
  if (gpu.model.empty()) gpu.model = told(device, "GPUModel");
  if (!name.starts_with(kNvml)) return;
  if (const auto dev = parse_integer("number", name.substr(kNvml.size())))
    gpu.dev = static_cast<int>(*dev);
}

// Adds what the operating system calls the device: its ports, interfaces and drivers.
void add_names(hwloc_obj_t object, PciDevice& device) {
  std::vector<std::string> interfaces;
  for (auto* child = object->io_first_child; child != nullptr; child = child->next_sibling) {
    if (child->type != HWLOC_OBJ_OS_DEVICE || child->name == nullptr) continue;
    const auto kind = child->attr->osdev.type;
    if (kind == HWLOC_OBJ_OSDEV_OPENFABRICS)
      for (auto& port : ports_of(child)) device.nets.push_back(std::move(port));
    if (kind == HWLOC_OBJ_OSDEV_NETWORK) interfaces.emplace_back(child->name);
    if (device.gpu && (kind == HWLOC_OBJ_OSDEV_GPU || kind == HWLOC_OBJ_OSDEV_COPROC))
      describe_gpu(child, *device.gpu);
  }
  if (device.nets.empty())
    for (const auto& name : interfaces) device.nets.push_back({.name = name});
  else if (interfaces.size() == 1)
    for (auto& net : device.nets) net.netdev = interfaces.front();
}

PciDevice device_of(hwloc_obj_t object, const PciFacts& pci) {
  PciDevice device{.bus_id = bus_id_of_pci(pci),
                   .class_code = std::uint32_t{pci.class_id} << 8,
                   .vendor = pci.vendor_id,
                   .device = pci.device_id,
                   .subsystem_vendor = pci.subvendor_id,
                   .subsystem_device = pci.subdevice_id,
                   .link = link_of_payload(static_cast<double>(pci.linkspeed)),
                   .name = std::string(told(object, "PCIDevice"))};
  // Where the bus may not be read, hwloc knows classes but no vendors.
  const bool hidden = device.vendor == 0 && is_gpu_class(device.class_code);
  if (is_gpu(device) || hidden)
    device.gpu = Gpu{.sm = compute_capability_of(device.vendor, device.device)};
  add_names(object, device);
  return device;
}

// The one memory node that the device is near to; -1: several are as near.
int numa_of(hwloc_topology_t topology, hwloc_obj_t object, std::span<const Cpu> cpus) {
  const auto* const near = hwloc_get_non_io_ancestor_obj(topology, object);
  if (near == nullptr || near->nodeset == nullptr) return -1;
  int numa = -1;
  for (const auto& cpu : cpus) {
    if (hwloc_bitmap_isset(near->nodeset, static_cast<unsigned>(cpu.numa)) == 0) continue;
    if (numa >= 0) return -1;
    numa = cpu.numa;
  }
  return numa;
}

FoundPci found_of(hwloc_topology_t topology, hwloc_obj_t object, std::span<const Cpu> cpus) {
  FoundPci found{.device = device_of(object, *pci_of(object)),
                 .numa = numa_of(topology, object, cpus)};
  for (auto* above = object->parent; above != nullptr && pci_of(above) != nullptr;
       above = above->parent)
    found.above.push_back(bus_id_of_pci(*pci_of(above)));
  return found;
}

void tell_limits(const std::vector<FoundPci>& found, std::vector<std::string>& unseen) {
  const auto any = [&](auto has) {
    return std::ranges::any_of(found, [&](const FoundPci& one) { return has(one.device); });
  };
  if (any([](const PciDevice& device) { return !device.nets.empty(); }))
    unseen.emplace_back("No speeds of NIC ports: hwloc does not tell them.");
  if (any([](const PciDevice& device) { return device.vendor == 0 && device.gpu; }))
    unseen.emplace_back("No vendors of display controllers: they count as GPUs.");
  unseen.emplace_back(
      "No generations and widths of PCI links: hwloc tells the product of both as it was when the "
      "file was made.");
}

}  // namespace

PciLink link_of_payload(double payload_gbps) {
  struct Generation {
    std::string_view speed;
    double lane_gbps;  // after 8b/10b or 128b/130b encoding, as hwloc's hwloc/pci-common.c counts
  };
  constexpr double kLong = 128.0 / 130 / 8, kShort = 8.0 / 10 / 8;
  constexpr std::array kGenerations{
      Generation{"2.5 GT/s PCIe", 2.5 * kShort}, Generation{"5.0 GT/s PCIe", 5 * kShort},
      Generation{"8.0 GT/s PCIe", 8 * kLong},    Generation{"16.0 GT/s PCIe", 16 * kLong},
      Generation{"32.0 GT/s PCIe", 32 * kLong},  Generation{"64.0 GT/s PCIe", 64 * kLong}};
  constexpr double kTolerance = 0.004;  // Gen2 and Gen3 are 1.6 % apart at half the width
  for (const int width : {16, 8, 4, 2, 1})
    for (const auto& generation : kGenerations)
      if (std::abs(generation.lane_gbps * width - payload_gbps) < kTolerance * payload_gbps)
        return {.speed = std::string(generation.speed), .width = width};
  return {};
}

std::vector<FoundPci> devices_of_hwloc(hwloc_topology* topology, std::span<const Cpu> cpus,
                                       std::vector<std::string>& unseen) {
  std::vector<FoundPci> found;
  for (hwloc_obj_t bridge = nullptr; (bridge = hwloc_get_next_bridge(topology, bridge)) != nullptr;)
    if (pci_of(bridge) != nullptr) found.push_back(found_of(topology, bridge, cpus));
  for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_pcidev(topology, device)) != nullptr;)
    found.push_back(found_of(topology, device, cpus));
  if (found.empty())
    unseen.emplace_back("No PCI devices: hwloc shows none.");
  else
    tell_limits(found, unseen);
  return found;
}

}  // namespace linerate::topo
