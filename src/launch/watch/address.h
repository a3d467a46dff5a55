// Addresses by which other hosts may reach this one, and which of a peer's to try first.
#pragma once

#include "launch/net/socket.h"

#include <sys/socket.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

struct NumericAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;  // 0: the text was no numeric address
};

NumericAddress numeric_address(const SocketAddress& text);

// An address of an interface of this host, with its network.
struct InterfaceAddress {
  std::string host;  // numeric
  std::vector<unsigned char> bytes, mask;
  std::string interface {};  // "eth0"; empty where another host told
};

// The network of "10.0.0.0/16" or "fd00::/64"; nothing where the text is something else.
std::optional<InterfaceAddress> network_of(std::string_view text);

// Whether `address`, as its bytes, is in the network of `ours`.
bool in_network(const std::vector<unsigned char>& address, const InterfaceAddress& ours);

// Of the interfaces that are up, without loopback and link-local ones; IPv4 first.
std::vector<InterfaceAddress> interface_addresses();

// `candidates` in the order to try them: those in a network of ours first, and our own addresses
// last, because at those we would meet ourselves (a bridge with the same address on every host).
std::vector<std::string> nearest_first(std::vector<std::string> candidates,
                                       const std::vector<InterfaceAddress>& ours);

}  // namespace linerate
