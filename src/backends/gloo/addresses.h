// Which of its addresses each host uses towards the others.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"
#include "launch/net/address.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace linerate::gloo {

// The addresses of every host, by the number of its node, in the order of preference.
using Hosts = std::map<int, std::vector<InterfaceAddress>>;

// Of node `node`, in the first network in which all hosts have an address: in the order of the
// lowest host's. Addresses that several hosts have (bridges of containers) lead to none of them.
// Nothing where the hosts share no network.
std::optional<std::string> address_in_common_network(const Hosts& hosts, int node);

// This rank's address for the others: loopback where all run on one host, else in the common
// network, else where the kernel's route to another host begins. Nothing where there is none.
// Collective over `bootstrap`.
std::optional<std::string> find_address(Bootstrap& bootstrap, const Deadline& deadline);

}  // namespace linerate::gloo
