#include "backends/gloo/addresses.h"

#include "base/handle.h"
#include "base/wire.h"

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace linerate::gloo {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

Bytes offer_of(const NodePlace& place) {
  const auto addresses = interface_addresses();
  WireWriter out;
  out.put(place.node).put(static_cast<std::uint32_t>(addresses.size()));
  for (const auto& address : addresses)
    out.put_text(address.host)
        .put_all(std::span(std::as_const(address.bytes)))
        .put_all(std::span(std::as_const(address.mask)));
  return out.take();
}

Hosts hosts_in(const std::vector<Bytes>& offers) {
  Hosts hosts;
  for (const auto& bytes : offers) {
    WireReader in(bytes);
    auto& addresses = hosts[in.get<int>()];
    addresses.clear();  // all ranks of a host say the same
    for (auto left = in.get<std::uint32_t>(); left > 0; --left) {
      auto host = in.get_text();
      auto raw = in.get_all<unsigned char>();
      addresses.push_back({std::move(host), std::move(raw), in.get_all<unsigned char>(), {}});
    }
  }
  return hosts;
}

Hosts without_duplicates(const Hosts& hosts) {
  std::map<std::string, int> owners;
  for (const auto& [node, addresses] : hosts)
    for (const auto& address : addresses) ++owners[address.host];
  Hosts kept = hosts;
  for (auto& [node, addresses] : kept)
    std::erase_if(addresses, [&](const auto& address) { return owners[address.host] > 1; });
  return kept;
}

const InterfaceAddress* first_in(const InterfaceAddress& network,
                                 const std::vector<InterfaceAddress>& addresses) {
  const auto found = std::ranges::find_if(
      addresses, [&](const auto& address) { return in_network(address.bytes, network); });
  return found == addresses.end() ? nullptr : &*found;
}

// Where the kernel's route to `target` begins: the address of a socket that says where it would
// send. Nothing where there is no route.
std::optional<std::string> source_towards(const std::string& target) {
  constexpr std::uint16_t kAnyPort = 9;  // nothing is sent
  const auto to = numeric_address({target, kAnyPort});
  const FileDescriptor probe(::socket(to.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const auto* const remote = reinterpret_cast<const sockaddr*>(&to.storage);
  if (!probe || ::connect(probe.get(), remote, to.length) != 0) return std::nullopt;
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  auto* const local = reinterpret_cast<sockaddr*>(&own);
  std::array<char, NI_MAXHOST> text{};
  if (::getsockname(probe.get(), local, &length) != 0 ||
      ::getnameinfo(local, length, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0)
    return std::nullopt;
  return std::string(text.data());
}

std::optional<std::string> routed_address(const Hosts& hosts, int node) {
  for (const auto& [other, addresses] : without_duplicates(hosts)) {
    if (other == node) continue;
    for (const auto& address : addresses)
      if (auto source = source_towards(address.host)) return source;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> address_in_common_network(const Hosts& hosts, int node) {
  const auto own = without_duplicates(hosts);
  for (const auto& network : own.begin()->second) {
    const bool everywhere = std::ranges::all_of(
        own, [&](const auto& host) { return first_in(network, host.second) != nullptr; });
    if (everywhere) return first_in(network, own.at(node))->host;
  }
  return std::nullopt;
}

std::optional<std::string> find_address(Bootstrap& bootstrap, const Deadline& deadline) {
  const auto& place = bootstrap.place();
  if (place.nnodes <= 1) return kLoopback;
  const auto hosts = hosts_in(bootstrap.all_gather(offer_of(place), deadline));
  if (auto address = address_in_common_network(hosts, place.node)) return address;
  return routed_address(hosts, place.node);
}

}  // namespace linerate::gloo
