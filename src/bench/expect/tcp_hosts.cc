// See tcp_hosts.h.
#include "bench/expect/tcp_hosts.h"

#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace linerate {
namespace {

constexpr std::string_view kTcp = "TCP", kTcpOn = "TCP on ";

// Empty: none is named.
std::vector<std::string> named_interfaces(std::string_view transport) {
  std::vector<std::string> names;
  if (!transport.starts_with(kTcpOn)) return names;
  for (const auto& part : split(transport.substr(kTcpOn.size()), ','))
    names.emplace_back(trim(part));
  return names;
}

}  // namespace

bool is_tcp(std::string_view transport) {
  return transport == kTcp || transport.starts_with(kTcpOn);
}

Result<std::vector<std::string>> tcp_hosts(std::string_view transport,
                                           const std::vector<InterfaceAddress>& own) {
  const auto named = named_interfaces(transport);
  std::set<std::string> used;
  std::vector<std::string> hosts;
  for (const auto& address : own) {
    if (!named.empty() && std::ranges::find(named, address.interface) == named.end()) continue;
    used.insert(address.interface);
    hosts.push_back(address.host);
  }
  if (used.empty() && named.empty())
    return Failure{"No interface of this host leads to other hosts."};
  if (used.empty())
    return Failure{fmt::format("This host has no interface {}.", fmt::join(named, " or "))};
  if (used.size() > 1)
    return Failure{
        fmt::format("TCP may use any of the interfaces {}: name one.", fmt::join(used, ", "))};
  return hosts;
}

}  // namespace linerate
