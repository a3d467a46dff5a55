// What calls and programs tell; of their words only what the checks look at is kept.
#include "base/child_output.h"
#include "base/handle.h"
#include "base/text.h"
#include "diagnose/node/snapshot_parts.h"
#include "topo/system/pci_ids.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <set>

namespace linerate::node {
namespace {

constexpr double kUsPerHour = 3.6e9;

// The newest megabytes of the kernel's log, as /dev/kmsg has them; empty: not readable.
std::string kernel_log(const std::filesystem::path& root) {
  constexpr std::size_t kMost = std::size_t{8} << 20;
  const FileDescriptor file(::open((root / "dev/kmsg").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string log;
  std::array<char, 8192> record{};  // a smaller one is refused
  while (file && log.size() < kMost) {
    const auto got = ::read(file.get(), record.data(), record.size());
    if (got < 0 && (errno == EPIPE || errno == EINTR)) continue;  // overwritten meanwhile
    if (got <= 0) break;
    log.append(record.data(), static_cast<std::size_t>(got));
  }
  return log;
}

void add_addresses(Snapshot& snapshot) {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return;
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, ::freeifaddrs);
  std::map<std::uint32_t, std::string> networks;  // without the addresses: how many are alike
  for (const auto* at = first; at != nullptr; at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_addr->sa_family != AF_INET) continue;
    snapshot.facts[fmt::format("address {}", at->ifa_name)] = "IPv4";
    if (at->ifa_netmask == nullptr) continue;
    const auto bits = [](const sockaddr* of) {
      sockaddr_in address{};
      std::memcpy(&address, of, sizeof(address));
      return address.sin_addr.s_addr;
    };
    const auto network = bits(at->ifa_addr) & bits(at->ifa_netmask);
    const auto number = networks.emplace(network, std::to_string(networks.size())).first->second;
    snapshot.facts[fmt::format("network {}", at->ifa_name)] = number;
  }
}

// "DEVICE" of each "/sys/class/infiniband/DEVICE/…" that the snapshot has, and likewise; a few.
std::set<std::string> names_at(const Snapshot& snapshot, std::string_view pattern,
                               std::size_t place) {
  constexpr std::size_t kMost = 32;
  std::set<std::string> names;
  for (const auto& [key, text] : snapshot.matching(pattern))
    if (names.size() < kMost) names.insert(split(key, '/')[place]);
  return names;
}

// A program's output; where there is none, the fact that says why.
std::optional<std::string> asked(Snapshot& snapshot, const std::vector<std::string>& argv,
                                 const OutputLimits& limits = {}) {
  auto told = output_of_program(argv, limits);
  if (!told) snapshot.facts["could not run " + argv.front()] = told.sentence();
  return told ? std::optional(*std::move(told)) : std::nullopt;
}

}  // namespace

void add_kernel_events(Snapshot& snapshot, std::string_view log, double now_us) {
  constexpr std::string_view kXid = "NVRM: Xid (PCI:", kOom = "ut of memory: Killed process";
  if (!log.empty()) snapshot.facts["kernel log"] = "readable";
  for (const auto& line : split(log, '\n')) {
    const auto words = split(line.substr(0, line.find(';')), ',');
    const auto at_us = words.size() < 3 ? parse_number("", "") : parse_number("", words[2]);
    if (!at_us) continue;
    const auto hours = fmt::format("{:.1f}", std::max(0.0, now_us - *at_us) / kUsPerHour);
    if (line.find(kOom) != std::string::npos) snapshot.facts["kernel oom"] = hours;
    const auto xid = line.find(kXid);
    const auto close = line.find("): ", xid);
    if (xid == std::string::npos || close == std::string::npos) continue;
    const auto place =
        topo::parse_bus_id(line.substr(xid + kXid.size(), close - xid - kXid.size()) + ".0");
    const auto number =
        parse_integer("", line.substr(close + 3, line.find(',', close) - close - 3));
    if (place && number)
      snapshot.facts[fmt::format("kernel xid {} {}", text_of(*place), *number)] = hours;
  }
}

// "qdisc tbf 8001: dev eth0 root refcnt 2 rate 300Mbit burst 32Kb lat 1s"
void add_shaping(Snapshot& snapshot, std::string_view qdiscs) {
  snapshot.facts["tc"] = "asked";
  for (const auto& line : split(qdiscs, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < 6 || words[3] != "dev") continue;
    for (const std::string_view kind : {"netem", "tbf", "htb", "hfsc", "cake"})
      if (words[1] == kind) snapshot.facts["tc " + words[4]] = line.substr(0, 200);
  }
}

// Whether a base chain of input drops what no rule of it takes: by its policy, or by its last rule.
void add_firewall(Snapshot& snapshot, std::string_view ruleset) {
  bool is_input = false;
  std::string last, verdict = "accept";
  for (const auto& untrimmed : split(ruleset, '\n')) {
    const std::string line(trim(untrimmed));
    if (line.starts_with("chain ")) is_input = false;
    if (line.find("hook input") != std::string::npos) {
      is_input = true;
      if (line.find("policy drop") != std::string::npos) verdict = "drop";
    }
    if (line == "}" && is_input && (last.starts_with("drop") || last.starts_with("reject")))
      verdict = "drop";
    if (line == "}") is_input = false;
    last = line.starts_with("counter ") ? line.substr(line.find_last_of(' ') + 1) : line;
  }
  snapshot.facts["nft input"] = verdict;
}

namespace {

void add_links(Snapshot& snapshot) {
  for (const auto& name : names_at(snapshot, "/sys/class/infiniband/*/device/net/*/mtu", 7))
    if (const auto told = asked(snapshot, {"ethtool", "-S", name}))
      add_interface_counters(snapshot, name, *told);
    else
      break;
  for (const auto& name : names_at(snapshot, "/sys/class/infiniband/mlx5_*/fw_ver", 4))
    if (const auto told = asked(snapshot, {"mlxlink", "-d", name, "-c"}))
      add_link_quality(snapshot, name, *told);
    else
      break;
}

void add_gpus(Snapshot& snapshot) {
  // GPUs whose driver starts anew for each program take seconds each.
  constexpr OutputLimits kLimits{.seconds = 20, .bytes = std::size_t{4} << 20};
  const auto xml = asked(snapshot, {"nvidia-smi", "-q", "-x"}, kLimits);
  const auto gpus = xml ? add_gpu_states(snapshot, *xml) : std::vector<std::string>();
  if (gpus.empty()) return;
  if (const auto counters = output_of_program({"nvidia-smi", "nvlink", "-e"}, kLimits))
    add_nvlink_errors(snapshot, gpus, *counters);
  auto limits = kLimits;
  limits.any_code = true;  // which says that a test failed
  if (const auto told = asked(snapshot, {"dcgmi", "diag", "-r", "1", "-j"}, limits))
    add_diagnosis(snapshot, *told);
  if (const auto version = output_of_program({"nv-fabricmanager", "--version"}))
    if (const auto at = version->rfind(' '); at != std::string::npos)
      snapshot.facts["nv-fabricmanager"] = trim(version->substr(at));
  if (gpus.size() == 1) return;
  if (const auto matrix = output_of_program({"nvidia-smi", "topo", "-p2p", "r"}, kLimits))
    add_peer_access(snapshot, gpus, *matrix);
}

}  // namespace

void add_asked(Snapshot& snapshot, const std::filesystem::path& root, double now_us) {
  add_kernel_events(snapshot, kernel_log(root), now_us);
  if (root != "/") return;  // what follows speaks of this machine
  add_addresses(snapshot);
  if (const auto qdiscs = asked(snapshot, {"tc", "qdisc", "show"})) add_shaping(snapshot, *qdiscs);
  if (const auto rules = asked(snapshot, {"nft", "list", "ruleset"}))
    add_firewall(snapshot, *rules);
  add_links(snapshot);
  add_gpus(snapshot);
}

}  // namespace linerate::node
