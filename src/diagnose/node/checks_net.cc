// Checks of Ethernet interfaces: what sockets feel.
#include "base/text.h"
#include "diagnose/node/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::node {
namespace {

constexpr std::string_view kBondModes = "/sys/class/net/*/bonding/mode";
constexpr std::string_view kNet = "/sys/class/net/";

std::string interface_of(std::string_view key) { return split(key, '/')[4]; }

struct Bond {
  std::string name{}, mode{}, hash{};
  std::vector<std::string> legs{};
};

std::vector<Bond> bonds(const Snapshot& snapshot) {
  std::vector<Bond> found;
  for (const auto& [key, mode] : snapshot.matching(kBondModes)) {
    const auto folder = std::string(key.substr(0, key.rfind('/')));
    const auto* hash = snapshot.find(folder + "/xmit_hash_policy");
    const auto* legs = snapshot.find(folder + "/slaves");
    found.push_back({.name = interface_of(key),
                     .mode = std::string(mode),
                     .hash = hash == nullptr ? std::string() : *hash,
                     .legs = legs == nullptr ? std::vector<std::string>() : split(*legs, ' ')});
  }
  return found;
}

}  // namespace

bool needs::bond(const Snapshot& snapshot) { return snapshot.has(kBondModes); }

// Of the modes that choose a leg by a hash; of others, layer2 is there without a meaning.
std::vector<Seen> looks::bond_hash(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& [name, mode, hash, legs] : bonds(snapshot)) {
    const bool by_hash = mode.starts_with("802.3ad") || mode.starts_with("balance-xor");
    const bool carries =
        !needs::active_rdma(snapshot) || std::ranges::any_of(legs, [&](const std::string& leg) {
          return snapshot.has(fmt::format("/sys/class/infiniband/*/device/net/{}/mtu", leg));
        });
    if (by_hash && carries && legs.size() > 1 && hash.starts_with("layer2"))
      seen.push_back(
          {.subject = name,
           .evidence = fmt::format("It has {} legs, and chooses one by {} "
                                   "({}{}/bonding/xmit_hash_policy).",
                                   legs.size(), hash.substr(0, hash.find(' ')), kNet, name)});
  }
  return seen;
}

std::vector<Seen> looks::bond_leg(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& bond : bonds(snapshot))
    for (const auto& leg : bond.legs) {
      const auto path = fmt::format("{}{}/bonding_slave/mii_status", kNet, leg);
      const auto* status = snapshot.find(path);
      if (status != nullptr && *status != "up")
        seen.push_back({.subject = fmt::format("{} of {}", leg, bond.name),
                        .evidence = fmt::format("The leg is {}, one of {} ({}).", *status,
                                                bond.legs.size(), path)});
    }
  return seen;
}

std::vector<Seen> looks::half_duplex(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& [key, text] : snapshot.matching("/sys/class/net/*/duplex"))
    if (text == "half")
      seen.push_back(
          {.subject = interface_of(key), .evidence = fmt::format("It is half-duplex ({}).", key)});
  return seen;
}

std::vector<Seen> looks::interface_errors(const Snapshot& snapshot, const Limits& limits) {
  std::vector<Seen> seen;
  for (const auto& [key, text] : snapshot.matching("/sys/class/net/*/statistics/rx_packets")) {
    const auto name = interface_of(key);
    const auto packets = snapshot.number(key).value_or(0);
    for (const std::string_view counter : {"rx_crc_errors", "rx_fifo_errors", "rx_missed_errors"}) {
      const auto path = fmt::format("{}{}/statistics/{}", kNet, name, counter);
      const auto errors = snapshot.number(path).value_or(0);
      if (errors <= limits.interface_errors || errors <= packets * limits.interface_error_share)
        continue;
      seen.push_back({.subject = name,
                      .evidence = fmt::format("{:.0f} of {:.0f} packets since the start ({}).",
                                              errors, packets + errors, path)});
    }
  }
  return seen;
}

}  // namespace linerate::node
