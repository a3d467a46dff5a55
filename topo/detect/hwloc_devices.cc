// Devices from hwloc's I/O objects, NVLinks from its matrix of bandwidths.
#include "base/text.h"
#include "topo/detect/hwloc_system.h"
#include "topo/detect/sysfs.h"
#include "topo/system/links.h"
#include "topo/system/pci_ids.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <hwloc/distances.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace linerate::topo {
namespace {

using PciFacts = decltype(hwloc_obj_attr_u::pcidev);

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
    const auto state =
        parse_integer("state", info_of(device, fmt::format("Port{}State", port).c_str()));
    if (!state && port > 1) break;
    const bool known = state && *state > 0 && *state < std::ssize(kStates);
    ports.push_back(
        {.name = device->name,
         .port = port,
         .guid = guid_of(info_of(device, "NodeGUID")),
         .state = std::string(known ? kStates.at(static_cast<std::size_t>(*state)) : "")});
  }
  return ports;
}

// "nvml3" is the driver's third.
void describe_gpu(hwloc_obj_t device, Gpu& gpu) {
  constexpr std::string_view kNvml = "nvml";
  const std::string_view name = device->name;
  if (gpu.model.empty()) gpu.model = info_of(device, "GPUModel");
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
                   .name = std::string(info_of(object, "PCIDevice"))};
  // Where the bus may not be read, hwloc knows classes but no vendors.
  const bool hidden = device.vendor == 0 && is_gpu_class(device.class_code);
  if (is_gpu(device) || hidden)
    device.gpu = Gpu{.sm = gpu_model_of(device.vendor, device.device).sm};
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

void report_limits(const std::vector<FoundPci>& found, std::vector<std::string>& unseen) {
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
  // Bytes of a transfer after 8b/10b, and from Gen3 on 128b/130b encoding, as hwloc counts them
  // (hwloc/pci-common.c).
  constexpr double kShort = 8.0 / 10 / 8, kLong = 128.0 / 130 / 8, kGen3 = 8;
  constexpr double kTolerance = 0.004;  // Gen2 and Gen3 are 1.6 % apart at half the width
  for (const int width : {16, 8, 4, 2, 1})
    for (const auto& row : kPcieGenerations) {
      const double gbps = row.gigatransfers * (row.gigatransfers < kGen3 ? kShort : kLong) * width;
      if (std::abs(gbps - payload_gbps) < kTolerance * payload_gbps)
        return {.speed = std::string(row.text), .width = width};
    }
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
    report_limits(found, unseen);
  return found;
}

namespace {

// The device on the bus that an object is or belongs to.
std::optional<BusId> bus_id_of_object(hwloc_obj_t object) {
  for (; object != nullptr; object = object->parent)
    if (object->type == HWLOC_OBJ_PCI_DEVICE) return bus_id_of_pci(object->attr->pcidev);
  return std::nullopt;
}

bool is_switch(hwloc_obj_t object) {
  return object->type == HWLOC_OBJ_PCI_DEVICE && object->subtype != nullptr &&
         std::string_view(object->subtype) == "NVSwitch";
}

// What hwloc counts for one link, in MB/s (hwloc/topology-nvml.c): until 2.12 both directions of
// those of Ampere.
double link_mbps(hwloc_topology_t topology, int sm) {
  constexpr double kPascal = 20000, kVolta = 25000, kBothWays = 50000, kBlackwell = 50000;
  constexpr std::int64_t kOneWaySince = 12;  // hwloc 2.12
  if (sm >= kBlackwellSm) return kBlackwell;
  if (sm > 0 && sm < kVoltaSm) return kPascal;
  if (sm < kAmpereSm || sm >= kHopperSm) return kVolta;
  const auto version = info_of(hwloc_get_root_obj(topology), "hwlocVersion");
  constexpr std::string_view kMajor = "2.";
  if (!version.starts_with(kMajor)) return kBothWays;
  const auto rest = version.substr(kMajor.size());
  const auto minor = parse_integer("version", rest.substr(0, rest.find('.')));
  return minor && *minor >= kOneWaySince ? kVolta : kBothWays;
}

NvLink link_to(hwloc_obj_t target, int count) {
  NvLink link{.count = count};
  const auto id = bus_id_of_object(target);
  link.target = id ? text_of(*id) : "fffffff:ffff:ff";  // as NCCL words what has no place
  link.tclass = is_switch(target) ? kNvSwitchClass : id ? kGpuClass : kPowerBridgeClass;
  return link;
}

// The links of the GPU at `from`; nothing where a bandwidth is that of no number of links. Where
// there are switches all links go to them, and what hwloc says between GPUs follows from that.
std::optional<std::vector<NvLink>> links_of(const hwloc_distances_s& matrix, std::size_t from,
                                            double one_mbps) {
  constexpr int kMax = 18;
  constexpr double kTolerance = 0.01;
  const std::span objects(matrix.objs, matrix.nbobjs);
  const std::span row(matrix.values + from * matrix.nbobjs, matrix.nbobjs);  // in MB/s
  const bool switched = std::ranges::any_of(objects, is_switch);
  std::vector<NvLink> links;
  for (std::size_t to = 0; to < objects.size(); ++to) {
    const bool counts = to != from && objects[to] != nullptr && row[to] > 0;
    if (!counts || (switched && !is_switch(objects[to]))) continue;
    const double number = static_cast<double>(row[to]) / one_mbps;
    if (number > kMax || std::abs(number - std::round(number)) > kTolerance) return std::nullopt;
    links.push_back(link_to(objects[to], static_cast<int>(std::round(number))));
  }
  const int all = std::transform_reduce(links.begin(), links.end(), 0, std::plus<>(),
                                        [](const NvLink& link) { return link.count; });
  return all <= kMax ? std::optional(links) : std::nullopt;
}

FoundPci* gpu_at(std::vector<FoundPci>& devices, hwloc_obj_t object) {
  const auto id = object != nullptr ? bus_id_of_object(object) : std::nullopt;
  auto* const found = id ? find_device(devices, *id) : nullptr;
  return found != nullptr && found->device.gpu ? found : nullptr;
}

}  // namespace

void add_nvlinks(hwloc_topology* topology, std::vector<FoundPci>& devices,
                 std::vector<std::string>& unseen) {
  const auto has_gpu = [](const FoundPci& one) { return one.device.gpu.has_value(); };
  if (std::ranges::none_of(devices, has_gpu)) return;
  hwloc_distances_s* matrix = nullptr;
  unsigned count = 1;
  if (hwloc_distances_get_by_name(topology, "NVLinkBandwidth", &count, &matrix, 0) != 0 ||
      count == 0) {
    unseen.emplace_back(
        "No NVLinks: hwloc tells them only where it was built with NVIDIA's library.");
    return;
  }
  const auto release = [&](hwloc_distances_s* one) { hwloc_distances_release(topology, one); };
  const std::unique_ptr<hwloc_distances_s, decltype(release)> owned(matrix, release);
  for (std::size_t n = 0; n < matrix->nbobjs; ++n) {
    auto* const found = gpu_at(devices, matrix->objs[n]);
    if (found == nullptr) continue;
    auto& gpu = *found->device.gpu;
    if (auto links = links_of(*matrix, n, link_mbps(topology, gpu.sm)))
      gpu.nvlinks = std::move(*links);
    else
      unseen.push_back(fmt::format(
          "No NVLinks of {}: the bandwidths that hwloc tells are those of no number of links.",
          text_of(found->device.bus_id)));
  }
}

}  // namespace linerate::topo
