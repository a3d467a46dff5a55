// Walks sys/devices/system for processors, sys/class/infiniband and sys/class/net for ports.
#include "base/text.h"
#include "base/units.h"
#include "topo/detect/pci_tree.h"
#include "topo/detect/sysfs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace linerate::topo {
namespace {

namespace fs = std::filesystem;

// Adds the cores and last-level caches of the threads to `cpu`.
void count_cores(const fs::path& folder, const ThreadSet& threads, Cpu& cpu) {
  std::map<std::pair<std::int64_t, std::string>, std::vector<int>> cores;
  std::set<std::string> caches;  // by the threads that share them
  for (const int thread : threads) {
    const auto place = folder / fmt::format("cpu{}", thread);
    const auto package = number_in(place / "topology/physical_package_id");
    const auto siblings = text_in(place / "topology/thread_siblings_list");
    if (package && cpu.package < 0) cpu.package = static_cast<int>(*package);
    if (!siblings.empty()) cores[{package.value_or(-1), siblings}].push_back(thread);
    const auto l3 = place / "cache/index3";
    if (number_in(l3 / "level") == 3 && caches.insert(text_in(l3 / "shared_cpu_list")).second)
      if (const auto bytes = parse_bytes("size", text_in(l3 / "size"))) cpu.l3_bytes += *bytes;
  }
  cpu.threads = static_cast<int>(threads.size());
  cpu.cores = static_cast<int>(cores.size());
  for (const auto& core : cores) cpu.core_threads.push_back(core.second);
  std::ranges::sort(cpu.core_threads);
}

struct NumaNode {
  int number = 0;
  ThreadSet threads;
};

// Nodes with threads: those of memory alone, of GPUs for instance, are left out.
std::vector<NumaNode> numa_nodes(const fs::path& folder) {
  std::vector<NumaNode> nodes;
  for (const auto& name : names_in(folder)) {
    constexpr std::string_view kPrefix = "node";
    if (!name.starts_with(kPrefix)) continue;
    const auto number = parse_integer("node", name.substr(kPrefix.size()));
    auto threads = threads_in_mask(text_in(folder / name / "cpumap"));
    if (number && std::in_range<int>(*number) && !threads.empty())
      nodes.push_back({static_cast<int>(*number), std::move(threads)});
  }
  std::ranges::sort(nodes, {}, &NumaNode::number);
  return nodes;
}

}  // namespace

std::vector<Cpu> cpus_of_tree(const fs::path& root, std::vector<std::string>& unseen) {
  const auto folder = root / "sys/devices/system";
  auto nodes = numa_nodes(folder / "node");
  if (nodes.empty()) {
    unseen.emplace_back(
        "No memory nodes: /sys/devices/system/node is not there or names no processors; the "
        "machine counts as one.");
    auto threads = threads_in_list(text_in(folder / "cpu/online"));
    if (threads.empty()) return {};
    nodes.push_back({.threads = std::move(threads)});
  }
  const auto described = cpu_of_cpuinfo(text_in(root / "proc/cpuinfo"));
  if (described.arch == CpuArch::unknown)
    unseen.emplace_back("No model of the processors: /proc/cpuinfo is not there or names none.");
  std::vector<Cpu> cpus;
  for (const auto& node : nodes) {
    cpus.push_back(described);
    cpus.back().numa = node.number;
    cpus.back().affinity = mask_text(node.threads);
    count_cores(folder / "cpu", node.threads, cpus.back());
  }
  return cpus;
}

namespace {

namespace fs = std::filesystem;

// Where a device sits on the bus. A virtio device is the child of its PCI function; below others,
// of USB for instance, the function is that of a controller.
std::optional<BusId> place_of(const fs::path& device) {
  const bool is_virtio = device.filename().string().starts_with("virtio");
  return bus_id_of((is_virtio ? device.parent_path() : device).filename());
}

// The word of a file that holds "4: ACTIVE".
std::string word_in(const fs::path& file) {
  const auto text = text_in(file);
  const auto colon = text.find(':');
  return std::string(
      trim(std::string_view(text).substr(colon == std::string::npos ? 0 : colon + 1)));
}

// "ACTIVE", "DOWN (Polling)": where a port is not up, what its lanes do tells why.
std::string port_state(const fs::path& port) {
  auto state = word_in(port / "state");
  const auto lanes = word_in(port / "phys_state");
  if (state.empty() || lanes.empty() || lanes == "LinkUp") return state;
  return fmt::format("{} ({})", state, lanes);
}

// The interface of a port: dev_port counts from 0. With one interface alone, that one.
std::string interface_of(const fs::path& device, int port) {
  const auto names = names_in(device / "net");
  if (names.size() == 1) return names.front();
  for (const auto& name : names)
    if (number_in(device / "net" / name / "dev_port") == port - 1) return name;
  return {};
}

FoundNet verbs_port(const fs::path& root, const std::string& name, int port) {
  const auto folder = root / "sys/class/infiniband" / name;
  const auto device = real_path(root, folder / "device");
  const auto place = folder / "ports" / std::to_string(port);
  FoundNet found{.net = {.name = name,
                         .speed_mbps = rate_mbps(text_in(place / "rate")),
                         .port = port,
                         .guid = guid_of(text_in(folder / "node_guid")),
                         .link_layer = text_in(place / "link_layer"),
                         .state = port_state(place)},
                 .place = place_of(device)};
  if (!device.empty()) found.net.netdev = interface_of(device, port);
  return found;
}

std::vector<FoundNet> verbs_ports(const fs::path& root, std::vector<std::string>& unseen) {
  const auto folder = root / "sys/class/infiniband";
  std::vector<FoundNet> found;
  for (const auto& name : names_in(folder))
    for (const auto& port : names_in(folder / name / "ports"))
      if (const auto number = parse_integer("port", port); number && *number > 0 && *number < 256)
        found.push_back(verbs_port(root, name, static_cast<int>(*number)));
  if (found.empty()) unseen.emplace_back(kNoVerbsPorts);
  return found;
}

std::string interface_state(const fs::path& folder) {
  const auto state = text_in(folder / "operstate");
  if (state == "up") return "ACTIVE";
  return state == "down" || state == "lowerlayerdown" ? "DOWN" : "";
}

// Virtual interfaces have no device; those that stand for a virtual function's other end are no
// ports of this machine.
bool is_port(const fs::path& folder, const fs::path& device) {
  constexpr std::int64_t kEthernet = 1, kInfiniband = 32;  // linux/if_arp.h
  const auto type = number_in(folder / "type").value_or(kEthernet);
  const bool representor = text_in(folder / "phys_port_name").find("vf") != std::string::npos;
  return !device.empty() && (type == kEthernet || type == kInfiniband) && !representor;
}

FoundNet interface_port(const fs::path& folder, const fs::path& device) {
  const auto mbps = number_in(folder / "speed").value_or(-1);
  const auto dev_port = number_in(folder / "dev_port").value_or(0);
  return {.net = {.name = folder.filename().string(),
                  .speed_mbps = mbps > 0 ? static_cast<double>(mbps) : 0,
                  .port = static_cast<int>(std::clamp<std::int64_t>(dev_port, 0, 254)) + 1,
                  .state = interface_state(folder)},
          .place = place_of(device)};
}

}  // namespace

std::vector<FoundNet> nets_of_tree(const fs::path& root, std::vector<std::string>& unseen) {
  auto found = verbs_ports(root, unseen);
  std::set<fs::path> verbs_devices;
  for (const auto& port : found)
    verbs_devices.insert(real_path(root, root / "sys/class/infiniband" / port.net.name / "device"));
  const auto folder = root / "sys/class/net";
  const auto names = names_in(folder);
  for (const auto& name : names) {
    const auto device = real_path(root, folder / name / "device");
    if (!verbs_devices.contains(device) && is_port(folder / name, device))
      found.push_back(interface_port(folder / name, device));
  }
  if (names.empty())
    unseen.emplace_back("No network interfaces: /sys/class/net is not there or empty.");
  return found;
}

}  // namespace linerate::topo
