// InfiniBand and RoCE: devices, ports, addresses, counters.
#include "base/text.h"
#include "diagnose/node/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace linerate::node {
namespace {

constexpr std::string_view kStates = "/sys/class/infiniband/*/ports/*/state";

struct RdmaPort {
  std::string path{};    // "/sys/class/infiniband/mlx5_0/ports/1"
  std::string device{};  // "/sys/class/infiniband/mlx5_0"
  std::string name{};    // "mlx5_0 port 1"
  std::string state{}, physical{}, layer{};

  bool is_active() const { return state.find("ACTIVE") != std::string::npos; }
  bool is_linked() const { return physical.find("LinkUp") != std::string::npos; }
  bool is_roce() const { return layer == "Ethernet"; }
};

std::vector<RdmaPort> rdma_ports(const Snapshot& snapshot) {
  const auto text = [&](const std::string& key) {
    const auto* found = snapshot.find(key);
    return found == nullptr ? std::string() : *found;
  };
  std::vector<RdmaPort> ports;
  for (const auto& [key, state] : snapshot.matching(kStates)) {
    const auto words = split(key, '/');  // "", sys, class, infiniband, DEVICE, ports, PORT, state
    const auto path = std::string(key.substr(0, key.rfind('/')));
    ports.push_back({.path = path,
                     .device = "/sys/class/infiniband/" + words[4],
                     .name = fmt::format("{} port {}", words[4], words[6]),
                     .state = std::string(state),
                     .physical = text(path + "/phys_state"),
                     .layer = text(path + "/link_layer")});
  }
  return ports;
}

std::set<std::string> active_roce_interfaces(const Snapshot& snapshot) {
  std::set<std::string> names;
  for (const auto& port : rdma_ports(snapshot))
    if (port.is_roce() && port.is_active())
      for (const auto& [key, text] : snapshot.matching(port.device + "/device/net/*/mtu"))
        names.insert(split(key, '/')[7]);
  return names;
}

// The larger of an interface's value and that of all counts (ip-sysctl.rst of Linux).
double ipv4_setting(const Snapshot& snapshot, std::string_view interface, std::string_view name) {
  const auto value = [&](std::string_view of) {
    return snapshot.number(fmt::format("/proc/sys/net/ipv4/conf/{}/{}", of, name)).value_or(0);
  };
  return std::max(value("all"), value(interface));
}

}  // namespace

bool needs::rdma(const Snapshot& snapshot) { return snapshot.has(kStates); }

bool needs::active_rdma(const Snapshot& snapshot) {
  return std::ranges::any_of(rdma_ports(snapshot), &RdmaPort::is_active);
}

bool needs::active_roce(const Snapshot& snapshot) {
  return std::ranges::any_of(rdma_ports(snapshot), [](const RdmaPort& port) {
    return port.is_active() && port.is_roce();
  });
}

// With CAP_IPC_LOCK, which root has outside of containers, the limit does not count.
std::vector<Seen> looks::memlock(const Snapshot& snapshot, const Limits& limits) {
  constexpr std::uint64_t kIpcLock = 1U << 14U;  // linux/capability.h
  const auto held = parse_hex(line_of(snapshot, "/proc/self/status", "CapEff:"));
  if (held && (*held & kIpcLock) != 0) return {};
  const auto line = line_of(snapshot, "/proc/self/limits", "Max locked memory");
  const auto soft = line.substr(0, line.find(' '));
  const auto bytes = parse_number("", soft);
  if (!bytes) return {};  // unlimited, or not told
  return {{.subject = "locked memory",
           .evidence = fmt::format("The limit is {} bytes (/proc/self/limits).", soft),
           .severity = *bytes < limits.memlock_least_bytes && needs::compute_gpu(snapshot)
                           ? Severity::problem
                           : Severity::warning}};
}

std::vector<Seen> looks::verbs_access(const Snapshot& snapshot, const Limits&) {
  const auto nodes = snapshot.matching("access /dev/infiniband/uverbs*");
  if (nodes.empty())
    return {{.subject = "/dev/infiniband",
             .evidence = "/sys/class/infiniband shows devices, and no /dev/infiniband/uverbs* is "
                         "here.",
             .severity = Severity::warning}};
  std::vector<Seen> seen;
  for (const auto& [key, access] : nodes)
    if (access != "read and write")
      seen.push_back({.subject = std::string(key.substr(key.find('/'))),
                      .evidence = "This process may not read and write it."});
  return seen;
}

std::vector<Seen> looks::verbs_missing(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& [key, pci_class] : snapshot.matching("/sys/bus/pci/devices/*/class")) {
    const auto path = std::string(key.substr(0, key.rfind('/')));
    if (pci_class.starts_with("0x0207") && snapshot.find("rdma " + path) == nullptr)
      seen.push_back({.subject = "InfiniBand adapter at " + path.substr(kPci.size()),
                      .evidence = fmt::format("{} has no infiniband folder.", path)});
  }
  return seen;
}

std::vector<Seen> looks::port_init(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& port : rdma_ports(snapshot))
    if (port.layer == "InfiniBand" && port.is_linked() && !port.is_active())
      seen.push_back({.subject = port.name,
                      .evidence = fmt::format("Its link is up and its state {} ({}/state).",
                                              port.state, port.path)});
  return seen;
}

std::vector<Seen> looks::mixed_links(const Snapshot& snapshot, const Limits&) {
  std::string infiniband, ethernet;
  for (const auto& port : rdma_ports(snapshot)) {
    auto& names = port.is_roce() ? ethernet : infiniband;
    const bool counts = port.is_roce() || port.layer == "InfiniBand";
    if (port.is_active() && counts) names += (names.empty() ? "" : ", ") + port.name;
  }
  if (infiniband.empty() || ethernet.empty()) return {};
  return {{.subject = "active ports",
           .evidence =
               fmt::format("InfiniBand: {}. Ethernet: {} (link_layer).", infiniband, ethernet)}};
}

std::vector<Seen> looks::roce_mtu(const Snapshot& snapshot, const Limits& limits) {
  std::set<std::string> told;
  std::vector<Seen> seen;
  for (const auto& port : rdma_ports(snapshot)) {
    if (!port.is_roce() || !port.is_active()) continue;
    for (const auto& [key, text] : snapshot.matching(port.device + "/device/net/*/mtu"))
      if (const auto mtu = snapshot.number(key);
          mtu && *mtu < limits.roce_mtu && told.emplace(key).second)
        seen.push_back({.subject = fmt::format("{} ({})", split(key, '/')[7], port.name),
                        .evidence = fmt::format("Its MTU is {} ({}).", text, key)});
  }
  return seen;
}

// Where other ports can be used, or no GPU is there, nobody may miss it: clouds have ports without
// an address beside a virtual machine's network.
std::vector<Seen> looks::roce_gid(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  bool others = false;
  for (const auto& port : rdma_ports(snapshot)) {
    if (!port.is_active()) continue;
    const auto gids = snapshot.matching("gid " + port.path + "/gids/*");
    const auto count = [&](std::string_view kind) {
      return std::ranges::count_if(gids, [&](const auto& gid) {
        return gid.second.starts_with("RoCE v2") && gid.second.ends_with(kind);
      });
    };
    const bool without = port.is_roce() && count("IPv4") + count("global") == 0;
    others = others || !without;
    if (!without || gids.empty()) continue;  // iWARP has none
    seen.push_back({.subject = port.name,
                    .evidence = fmt::format("{} RoCE v2 addresses with only a link-local prefix, "
                                            "none with a routable one ({}/gids).",
                                            count("link-local"), port.path)});
  }
  for (auto& one : seen)
    if (others || !needs::compute_gpu(snapshot)) one.severity = Severity::warning;
  return seen;
}

std::vector<Seen> looks::port_counters(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& port : rdma_ports(snapshot)) {
    std::string counts;
    for (const auto* pattern : {"/counters/*", "/hw_counters/*"})
      for (const auto& [key, text] : snapshot.matching(port.path + pattern))
        if (text != "0" && key.find("_cnp_") == std::string::npos)
          counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ",
                                key.substr(key.rfind('/') + 1), text);
    if (!counts.empty())
      seen.push_back({.subject = port.name,
                      .evidence = fmt::format("Since its driver was loaded: {} ({}/counters and "
                                              "hw_counters).",
                                              counts, port.path)});
  }
  return seen;
}

std::vector<Seen> looks::link_flaps(const Snapshot& snapshot, const Limits& limits) {
  std::vector<Seen> seen;
  for (const auto& [key, text] :
       snapshot.matching("/sys/class/infiniband/*/device/net/*/carrier_changes"))
    if (snapshot.number(key).value_or(0) > limits.carrier_changes)
      seen.push_back(
          {.subject = split(key, '/')[7],
           .evidence = fmt::format("Its link went up or down {} times ({}).", text, key)});
  return seen;
}

std::vector<Seen> looks::rp_filter(const Snapshot& snapshot, const Limits&) {
  const auto all = active_roce_interfaces(snapshot);
  std::vector<std::string> strict;
  std::ranges::copy_if(all, std::back_inserter(strict), [&](const std::string& name) {
    return ipv4_setting(snapshot, name, "rp_filter") == 1;
  });
  if (all.size() < 2 || strict.empty()) return {};
  return {
      {.subject = fmt::format("{} of {} RoCE interfaces", strict.size(), all.size()),
       .evidence = fmt::format("rp_filter of {} is 1 (/proc/sys/net/ipv4/conf).", strict.front())}};
}

std::vector<Seen> looks::same_network(const Snapshot& snapshot, const Limits&) {
  std::map<std::string, std::vector<std::string_view>> by_network;
  const auto names = active_roce_interfaces(snapshot);
  for (const auto& name : names)
    if (const auto* network = snapshot.find("network " + name);
        network != nullptr && ipv4_setting(snapshot, name, "arp_ignore") == 0)
      by_network[*network].push_back(name);
  std::vector<Seen> seen;
  for (const auto& [network, members] : by_network)
    if (members.size() > 1)
      seen.push_back({.subject = join(members, ", "),
                      .evidence = "Their addresses are of one IP network, and arp_ignore is 0 "
                                  "(/proc/sys/net/ipv4/conf)."});
  return seen;
}

// The first bit of a key is that of full members.
std::vector<Seen> looks::partition_key(const Snapshot& snapshot, const Limits&) {
  const auto is_full = [](std::string_view key) {
    return parse_hex(key.substr(std::min<std::size_t>(key.size(), 2))).value_or(0) >= 0x8000;
  };
  std::vector<Seen> seen;
  for (const auto& port : rdma_ports(snapshot)) {
    const auto keys = snapshot.matching(port.path + "/pkeys/*");
    const auto* first = snapshot.find(port.path + "/pkeys/0");
    if (port.layer != "InfiniBand" || !port.is_active() || keys.empty()) continue;
    if (first != nullptr && is_full(*first)) continue;
    const auto full =
        std::ranges::find_if(keys, [&](const auto& key) { return is_full(key.second); });
    const auto other = full == keys.end()
                           ? std::string("no other makes it a full one")
                           : fmt::format("{} at index {} does", full->second,
                                         full->first.substr(full->first.rfind('/') + 1));
    const bool lost = full == keys.end() && needs::compute_gpu(snapshot);
    seen.push_back({.subject = port.name,
                    .evidence = fmt::format("Its key at index 0 is {}, which does not make it a "
                                            "full member; {} ({}/pkeys).",
                                            first == nullptr ? "0x0000" : *first, other, port.path),
                    .severity = lost ? Severity::problem : Severity::warning});
  }
  return seen;
}

}  // namespace linerate::node
