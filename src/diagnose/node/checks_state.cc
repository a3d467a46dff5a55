// What the kernel's log, calls and programs told: Xids, the firewall, what slows TCP.
#include "base/text.h"
#include "diagnose/node/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::node {
namespace {

// Others than these are those of a program: 13, 31, 43 and 45 follow from what it did. From
// NVIDIA's list of Xid errors, and the ones that health checks of clouds drain nodes for.
constexpr std::array kXidOfHardware{48, 56, 57, 58, 62, 64, 65, 68,  69,
                                    73, 74, 79, 80, 81, 92, 95, 119, 120};
constexpr double kRecentHours = 24;

// Since it is common on laptops, and nobody's fault there.
Severity unless_alone(const Snapshot& snapshot) {
  return needs::job_devices(snapshot) ? Severity::warning : Severity::info;
}

}  // namespace

std::vector<Seen> looks::gpu_xid(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& [key, hours] : snapshot.matching("kernel xid *")) {
    const auto words = split(key, ' ');
    const auto number = parse_integer("", words.back());
    const bool recent = snapshot.number(key).value_or(0) < kRecentHours;
    const bool hardware =
        number && std::ranges::find(kXidOfHardware, *number) != kXidOfHardware.end();
    seen.push_back(
        {.subject = "GPU " + words[2],
         .evidence = fmt::format("Xid {}, {} hours ago (the kernel's log).", words.back(), hours),
         .severity = hardware && recent ? Severity::problem : Severity::info});
  }
  return seen;
}

std::vector<Seen> looks::killed_for_memory(const Snapshot& snapshot, const Limits&) {
  const auto hours = snapshot.number("kernel oom").value_or(kRecentHours);
  if (hours >= kRecentHours) return {};
  return {{.subject = "the kernel",
           .evidence = fmt::format("It killed a process because memory had run out, {:.1f} hours "
                                   "ago (its log).",
                                   hours),
           .severity = unless_alone(snapshot)}};
}

std::vector<Seen> looks::driver_hangs(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto* key : {"topology", "could not run nvidia-smi"})
    if (const auto* why = snapshot.find(key); why != nullptr && why->starts_with("took more"))
      seen.push_back(
          {.subject = "the NVIDIA driver", .evidence = fmt::format("Asking it {}.", *why)});
  if (seen.size() > 1) seen.pop_back();
  return seen;
}

std::vector<Seen> looks::firewall(const Snapshot& snapshot, const Limits&) {
  const auto* verdict = snapshot.find("nft input");
  if (verdict == nullptr || *verdict != "drop") return {};
  const auto* ports = snapshot.find("/proc/sys/net/ipv4/ip_local_port_range");
  return {{.subject = "the firewall",
           .evidence = fmt::format("It drops what no rule accepts (nft list ruleset). Ranks "
                                   "connect to ports {} of each other "
                                   "(/proc/sys/net/ipv4/ip_local_port_range).",
                                   ports == nullptr ? "of any number" : *ports)}};
}

std::vector<Seen> looks::shaping(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& [key, line] : snapshot.matching("tc *")) {
    const bool on_purpose = line.starts_with("qdisc netem") || line.starts_with("qdisc tbf");
    seen.push_back({.subject = std::string(key.substr(3)),
                    .evidence = fmt::format("Its traffic is shaped: '{}' (tc qdisc show).", line),
                    .severity = on_purpose ? Severity::warning : Severity::info});
  }
  return seen;
}

std::vector<Seen> looks::tcp_losses(const Snapshot& snapshot, const Limits& limits) {
  constexpr double kEnough = 100000;
  const auto words = split(*snapshot.find("/proc/net/snmp"), ' ');
  const auto sent = parse_number("", words.front()), again = parse_number("", words.back());
  if (!sent || !again || *sent < kEnough || *again * 100 < limits.tcp_loss_percent * *sent)
    return {};
  return {{.subject = "TCP",
           .evidence = fmt::format("{:.2g} % of {:.3g} segments were sent again since the system "
                                   "started (/proc/net/snmp).",
                                   *again * 100 / *sent, *sent),
           .severity = unless_alone(snapshot)}};
}

// NCCL takes interfaces whose names begin with "ib" first, then all but docker* and lo
// (src/misc/socket.cc, ncclFindInterfaces()).
std::vector<Seen> looks::stray_interfaces(const Snapshot& snapshot, const Limits&) {
  std::string stray, others;
  for (const auto& [key, kind] : snapshot.matching("address *")) {
    const auto name = key.substr(key.find(' ') + 1);
    const auto* state = snapshot.find(fmt::format("/sys/class/net/{}/operstate", name));
    if (name.starts_with("ib")) return {};
    if (name == "lo" || name.starts_with("docker") || (state != nullptr && *state == "down"))
      continue;
    const bool is_stray = std::ranges::any_of(
        std::array{"virbr", "br-", "veth", "cni", "flannel", "cali", "cilium", "kube", "weave",
                   "tun", "tap", "wg", "tailscale", "podman", "lxdbr"},
        [&](const char* beginning) { return name.starts_with(beginning); });
    auto& list = is_stray ? stray : others;
    list += fmt::format("{}{}", list.empty() ? "" : ",", name);
  }
  if (stray.empty() || others.empty()) return {};
  return {{.subject = stray,
           .evidence = fmt::format("Virtual interfaces with an address and up, beside {} "
                                   "(/sys/class/net).",
                                   others)}};
}

}  // namespace linerate::node
