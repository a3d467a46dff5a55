// Which members share a host: boot id and network namespace, because hostnames lie.
#pragma once

#include "comm/bootstrap.h"

#include <span>
#include <string>
#include <tuple>

namespace linerate {

// One host, as members tell each other.
struct HostIdentity {
  std::string hostname;  // for people
  std::string identity;  // boot id + network namespace

  static auto members(auto& host) { return std::tie(host.hostname, host.identity); }
};

// Of this process. Where the kernel hides the boot id, the hostname stands in for it.
HostIdentity this_host();

// The place of member `rank` when member r runs on host `hosts[r]`: equal numbers are one node.
// Hostname and identity stay empty.
NodePlace place_within(std::span<const int> hosts, int rank);

// The place of member `rank` among all members, in rank order.
NodePlace place_among(std::span<const HostIdentity> members, int rank);

}  // namespace linerate
