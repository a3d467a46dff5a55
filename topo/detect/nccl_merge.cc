#include "topo/detect/nccl_merge.h"

#include "topo/system/links.h"
#include "topo/system/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

void keep_used_ports(System& system) {
  const PortUse use(system);
  walk_ports(system, [&](std::vector<Net>& nets) {
    std::erase_if(nets, [&](const Net& net) { return !use.takes(net); });
  });
}

// A virtio device is none of the PCI bus to NCCL: its port hangs at the first processor.
void move_virtio_ports(System& system) {
  std::vector<Net> moved;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (device.vendor != kVirtioVendor) return;
    for (auto& net : device.nets) moved.push_back(std::move(net));
    device.nets.clear();
  });
  if (system.cpus.empty()) return;
  auto& nets = system.cpus.front().nets;
  std::ranges::move(moved, std::back_inserter(nets));
}

void count_link(PciDevice& device) {
  const auto& most = device.max_link;
  if (!device.gpu) {
    if (!most.speed.empty()) device.link.speed = most.speed;
    if (most.width > 0) device.link.width = most.width;
  } else if (is_idle(device)) {
    device.link.speed = most.speed;
  }
}

}  // namespace

System nccl_view(System system) {
  keep_used_ports(system);
  move_virtio_ports(system);
  walk_devices(system, [](Cpu&, PciDevice& device, int) { count_link(device); });
  return system;
}

namespace {

void fill_cpu(Cpu& cpu, const Cpu& seen) {
  if (cpu.affinity.empty()) cpu.affinity = seen.affinity;
  if (cpu.arch == CpuArch::unknown) cpu.arch = seen.arch;
  if (cpu.vendor.empty()) cpu.vendor = seen.vendor;
  if (cpu.family != 0 || cpu.model != 0) return;
  cpu.family = seen.family;
  cpu.model = seen.model;
}

void fill_gpu(Gpu& gpu, const Gpu& seen) {
  if (gpu.dev < 0) gpu.dev = seen.dev;
  if (gpu.sm == 0) gpu.sm = seen.sm;
  if (gpu.model.empty()) gpu.model = seen.model;
  if (gpu.nvlinks.empty()) gpu.nvlinks = seen.nvlinks;
  if (!gpu.c2c) gpu.c2c = seen.c2c;
}

void fill_port(Net& net, const Net& seen) {
  if (seen.dev >= 0) net.dev = seen.dev;
  if (net.speed_mbps == 0) net.speed_mbps = seen.speed_mbps;
  if (net.latency_us == 0) net.latency_us = seen.latency_us;
  if (net.guid == 0) net.guid = seen.guid;
  if (net.maxconn == 0) net.maxconn = seen.maxconn;
  net.gdr = net.gdr || seen.gdr;
}

// All but what hangs below it, and its ports.
void fill_device(PciDevice& device, const PciDevice& seen) {
  const auto fill = [](std::uint32_t& known, std::uint32_t found) {
    if (known == 0) known = found;
  };
  fill(device.class_code, seen.class_code);
  fill(device.vendor, seen.vendor);
  fill(device.device, seen.device);
  fill(device.subsystem_vendor, seen.subsystem_vendor);
  fill(device.subsystem_device, seen.subsystem_device);
  if (device.link.speed.empty()) device.link.speed = seen.link.speed;
  if (device.link.width == 0) device.link.width = seen.link.width;
  if (device.pci_peers.empty()) device.pci_peers = seen.pci_peers;
  if (!seen.gpu) return;
  if (!device.gpu)
    device.gpu = seen.gpu;
  else
    fill_gpu(*device.gpu, *seen.gpu);
}

// One file and one machine.
class NcclMerge {
 public:
  NcclMerge(System file, const System& seen) : system_(std::move(file)), seen_(seen) {}

  System merged() {
    system_.driver = seen_.driver;
    fill_cpus();
    drop_other_ports();
    for (const auto& cpu : seen_.cpus) {
      for (const auto& device : cpu.devices) merge_device(cpu.numa, device, nullptr);
      for (const auto& net : cpu.nets)
        if (!fills_port(net)) system_.cpus.front().nets.push_back(net);
    }
    return std::move(system_);
  }

 private:
  // NCCL takes all that a file holds for one host, its own.
  void fill_cpus() {
    for (auto& cpu : system_.cpus) {
      cpu.host_hash = 0;
      if (seen_.cpus.empty()) continue;
      const auto same = std::ranges::find(seen_.cpus, cpu.numa, &Cpu::numa);
      fill_cpu(cpu, same == seen_.cpus.end() ? seen_.cpus.front() : *same);
    }
  }

  void drop_other_ports() {
    std::set<std::string> names;
    walk_ports(seen_, [&](const std::vector<Net>& nets) {
      for (const auto& net : nets) names.insert(net.name);
    });
    if (names.empty()) return;
    walk_ports(system_, [&](std::vector<Net>& nets) {
      std::erase_if(nets, [&](const Net& net) { return !names.contains(net.name); });
    });
  }

  void merge_device(int numa, const PciDevice& seen, const PciDevice* above) {
    if (PciDevice* known = find(seen.bus_id))
      fill_device(*known, seen);
    else if (has_news(seen))
      attach(numa, seen, above);
    for (const auto& net : seen.nets)
      if (!fills_port(net)) find(seen.bus_id)->nets.push_back(net);
    for (const auto& child : seen.children) merge_device(numa, child, &seen);
  }

  // Among its like in the order of bus ids, without what is below it.
  void attach(int numa, const PciDevice& seen, const PciDevice* above) {
    PciDevice device = seen;
    device.children.clear();
    device.nets.clear();
    PciDevice* bridge = above != nullptr ? find(above->bus_id) : nullptr;
    auto& place = bridge != nullptr ? bridge->children : at_cpu(numa);
    const auto next = std::ranges::find_if(
        place, [&](const PciDevice& other) { return other.bus_id > device.bus_id; });
    place.insert(next, std::move(device));
  }

  // Whether the file has the port.
  bool fills_port(const Net& seen) {
    bool found = false;
    walk_ports(system_, [&](std::vector<Net>& nets) {
      for (auto& net : nets) {
        if (found || net.name != seen.name || net.port != seen.port) continue;
        fill_port(net, seen);
        found = true;
      }
    });
    return found;
  }

  PciDevice* find(const BusId& id) {
    PciDevice* found = nullptr;
    walk_devices(system_, [&](const Cpu&, PciDevice& device, int) {
      if (found == nullptr && device.bus_id == id) found = &device;
    });
    return found;
  }

  // GPUs or ports of which the file has not even the device.
  bool has_news(const PciDevice& seen) {
    bool news = false;
    walk(seen, [&](const PciDevice& device, int) {
      news = news || ((device.gpu || !device.nets.empty()) && find(device.bus_id) == nullptr);
    });
    return news;
  }

  std::vector<PciDevice>& at_cpu(int numa) {
    auto cpu = std::ranges::find(system_.cpus, numa, &Cpu::numa);
    if (cpu == system_.cpus.end()) {
      const auto same = std::ranges::find(seen_.cpus, numa, &Cpu::numa);
      Cpu added = *same;
      added.devices.clear();
      added.nets.clear();
      cpu = system_.cpus.insert(cpu, std::move(added));
    }
    return cpu->devices;
  }

  System system_;
  const System& seen_;
};

}  // namespace

System completed_as_nccl(System file, const System& seen) {
  return NcclMerge(std::move(file), seen).merged();
}

std::optional<std::string> unknown_links(const System& node, bool across_nodes) {
  std::size_t gpus = 0;
  std::string mute, slow;
  walk_devices(node, [&](const Cpu&, const PciDevice& device, int) {
    if (!device.gpu) return;
    ++gpus;
    if (device.gpu->nvlinks.empty() && mute.empty()) mute = text_of(device.bus_id);
  });
  walk_ports(node, [&](const std::vector<Net>& nets) {
    for (const auto& net : nets)
      if (net.speed_mbps == 0 && slow.empty()) slow = net.name;
  });
  if (gpus > 1 && node.driver.empty() && !mute.empty())
    return fmt::format(
        "nobody tells whether GPU {} has NVLinks: {} does not, and no driver of NVIDIA's could be "
        "asked",
        mute, node.source);
  if (across_nodes && !slow.empty())
    return fmt::format("nobody tells the speed of {}: neither {} nor its driver does", slow,
                       node.source);
  return std::nullopt;
}

}  // namespace linerate::topo
