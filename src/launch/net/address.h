// Addresses by which other hosts may reach this one, and which of a peer's to try first.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "launch/net/socket.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Of "node07", "node07:80", "fd00::1" or "[fd00::1]:80"; nothing where the text is none of these.
std::optional<SocketAddress> socket_address_of(std::string_view text, std::uint16_t default_port);

using AddressList = Handle<addrinfo, freeaddrinfo>;

// The addresses of a name or a numeric address, in the system's order; `flags` are getaddrinfo's.
Result<AddressList> resolve(const SocketAddress& address, int flags);

// Waits until the name is known: the name server may not answer yet (EAI_AGAIN). Throws Error with
// ExitCode::usage at once where there is no such name, TimeoutError where nobody ever answers.
void await_name(const std::string& host, const Deadline& deadline);

// An address as the system calls take it.
struct NumericAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;  // 0: the text was no numeric address
};

NumericAddress numeric_address(const SocketAddress& text);

// One attempt at a numeric address; none on failure, and errno says why. Dead hosts are found
// within 5 s.
FileDescriptor connect_tcp(const SocketAddress& to, const Deadline& deadline);

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
