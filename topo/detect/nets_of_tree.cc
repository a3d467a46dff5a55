#include "topo/detect/nets_of_tree.h"

#include "base/text.h"
#include "topo/detect/pci_tree.h"
#include "topo/detect/sysfs_text.h"
#include "topo/detect/tree_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace linerate::topo {
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
  if (found.empty())
    unseen.emplace_back(
        "No InfiniBand or RoCE devices: /sys/class/infiniband is not there or empty.");
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
