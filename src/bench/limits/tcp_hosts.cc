// Reads the words of Communicator::transport().
#include "bench/limits/tcp_hosts.h"

#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

namespace linerate {
namespace {

constexpr std::string_view kTcpOn = "TCP on ";

// "eth0" of an address's label "eth0:1", which is no interface of its own.
std::string without_label(std::string_view interface) {
  return std::string(interface.substr(0, interface.find(':')));
}

// What a transport names: an interface, or all that have an address in a network.
class Named {
 public:
  explicit Named(std::string_view text)
      : network_(network_of(text)), text_(network_ ? std::string(text) : without_label(text)) {}

  bool holds(const InterfaceAddress& address) const {
    return network_ ? in_network(address.bytes, *network_)
                    : without_label(address.interface) == text_;
  }
  // After "This host has no interface".
  std::string words() const { return network_ ? "in " + text_ : text_; }

 private:
  std::optional<InterfaceAddress> network_;
  std::string text_;
};

// Empty: none is named.
std::vector<Named> named_in(std::string_view transport) {
  std::vector<Named> all;
  if (!transport.starts_with(kTcpOn)) return all;
  for (const auto& part : split(transport.substr(kTcpOn.size()), ',')) all.emplace_back(trim(part));
  return all;
}

std::string words_of(const std::vector<Named>& all) {
  std::vector<std::string> words;
  for (const auto& named : all) words.push_back(named.words());
  return fmt::format("{}", fmt::join(words, " or "));
}

}  // namespace

Result<std::vector<std::string>> tcp_hosts(std::string_view transport,
                                           const std::vector<InterfaceAddress>& own) {
  const auto all_named = named_in(transport);
  std::set<std::string> used;
  std::vector<std::string> hosts;
  for (const auto& address : own) {
    const auto holds = [&](const Named& named) { return named.holds(address); };
    if (!all_named.empty() && std::ranges::none_of(all_named, holds)) continue;
    used.insert(without_label(address.interface));
    hosts.push_back(address.host);
  }
  if (used.empty() && all_named.empty())
    return Failure{"No interface of this host leads to other hosts."};
  if (used.empty())
    return Failure{fmt::format("This host has no interface {}.", words_of(all_named))};
  if (used.size() > 1)
    return Failure{
        fmt::format("TCP may use any of the interfaces {}: name one.", fmt::join(used, ", "))};
  return hosts;
}

}  // namespace linerate
