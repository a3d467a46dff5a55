// The boot id is the kernel's, the network namespace an inode of /proc/self/ns.
#include "launch/place.h"

#include "base/text.h"

#include <climits>
#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <fstream>
#include <map>

namespace linerate {
namespace {

std::string hostname() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string line;
  std::getline(file, line);
  return std::string(trim(line));
}

// 0 where namespaces cannot be seen.
unsigned long network_namespace() {
  struct stat info {};
  return ::stat("/proc/self/ns/net", &info) == 0 ? info.st_ino : 0;
}

}  // namespace

HostIdentity this_host() {
  const auto name = hostname();
  const auto boot = boot_id();
  return {name, fmt::format("{}+{}", boot.empty() ? name : boot, network_namespace())};
}

NodePlace place_within(std::span<const int> hosts, int rank) {
  assert(rank >= 0 && static_cast<std::size_t>(rank) < hosts.size());
  const auto mine = hosts[static_cast<std::size_t>(rank)];
  NodePlace place;
  place.local_nranks = 0;
  std::map<int, int> node_of_host;
  for (std::size_t r = 0; r < hosts.size(); ++r) {
    node_of_host.try_emplace(hosts[r], static_cast<int>(node_of_host.size()));
    if (hosts[r] != mine) continue;
    if (r < static_cast<std::size_t>(rank)) ++place.local_rank;
    ++place.local_nranks;
  }
  place.node = node_of_host[mine];
  place.nnodes = static_cast<int>(node_of_host.size());
  return place;
}

NodePlace place_among(std::span<const HostIdentity> members, int rank) {
  std::map<std::string_view, int> number_of;
  std::vector<int> hosts;
  hosts.reserve(members.size());
  for (const auto& member : members)
    hosts.push_back(
        number_of.try_emplace(member.identity, static_cast<int>(number_of.size())).first->second);
  auto place = place_within(hosts, rank);
  const auto& me = members[static_cast<std::size_t>(rank)];
  place.hostname = me.hostname;
  place.identity = me.identity;
  return place;
}

}  // namespace linerate
