// See nccl_xml_complete.h.
#include "topo/read/nccl_xml_complete.h"

#include "topo/system/gpu_models.h"
#include "topo/system/pci_class.h"
#include "topo/system/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace linerate::topo {
namespace {

constexpr std::uint32_t kNvidiaId = 0x10de, kAmdId = 0x1002;

bool is_bare(const PciDevice& device) {
  return !device.gpu && device.nets.empty() && device.children.empty();
}

// Screens of server boards are display controllers too.
bool is_bare_gpu(const PciDevice& device) {
  const bool may_compute =
      device.vendor == 0 || device.vendor == kNvidiaId || device.vendor == kAmdId;
  return is_bare(device) && is_gpu_class(device.class_code) && may_compute;
}

bool is_bare_nic(const PciDevice& device) {
  return is_bare(device) && is_nic_class(device.class_code);
}

// The devices of one host, and the numbers that it has given out.
struct HostDevices {
  std::vector<PciDevice*> gpus, nics;
  int next_gpu = 0, next_net = 0;
};

std::map<std::uint64_t, HostDevices> bare_devices(System& system) {
  std::map<std::uint64_t, HostDevices> hosts;
  walk_devices(system, [&](const Cpu& cpu, PciDevice& device, int) {
    HostDevices& host = hosts[cpu.host_hash];
    if (is_bare_gpu(device)) host.gpus.push_back(&device);
    if (is_bare_nic(device)) host.nics.push_back(&device);
    if (device.gpu) host.next_gpu = std::max(host.next_gpu, device.gpu->dev + 1);
    for (const auto& net : device.nets) host.next_net = std::max(host.next_net, net.dev + 1);
  });
  for (const auto& cpu : system.cpus)
    for (const auto& net : cpu.nets)
      hosts[cpu.host_hash].next_net = std::max(hosts[cpu.host_hash].next_net, net.dev + 1);
  return hosts;
}

void complete(HostDevices& host) {
  std::ranges::sort(host.gpus, {}, &PciDevice::bus_id);
  std::ranges::sort(host.nics, {}, &PciDevice::bus_id);
  for (PciDevice* device : host.gpus)
    device->gpu = Gpu{.dev = host.next_gpu++,
                      .sm = compute_capability_of(device->vendor, device->device),
                      .gdr = true};
  for (PciDevice* device : host.nics) {
    const int dev = host.next_net++;
    device->nets.push_back({.name = fmt::format("net{}", dev), .dev = dev, .gdr = true});
  }
}

}  // namespace

void complete_hand_made(System& system) {
  auto hosts = bare_devices(system);
  std::size_t gpus = 0, nics = 0;
  for (auto& [hash, host] : hosts) {
    complete(host);
    gpus += host.gpus.size();
    nics += host.nics.size();
  }
  if (gpus > 0)
    system.unseen.push_back(fmt::format(
        "The file gives {} GPU{} by PCI class only, without NVLinks.", gpus, gpus == 1 ? "" : "s"));
  if (nics > 0)
    system.unseen.push_back(
        fmt::format("The file gives {} NIC{} by PCI class only, without name and speed.", nics,
                    nics == 1 ? "" : "s"));
}

}  // namespace linerate::topo
