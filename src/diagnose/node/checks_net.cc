// Checks of Ethernet interfaces: what sockets feel.
#include "base/text.h"
#include "diagnose/node/checks.h"

#include <fmt/format.h>

#include <string_view>

namespace linerate::node {
namespace {

constexpr std::string_view kNet = "/sys/class/net/";

std::string interface_of(std::string_view key) { return split(key, '/')[4]; }

}  // namespace

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
