// Checks of Ethernet interfaces and of TCP: what sockets feel.
#include "base/text.h"
#include "diagnose/node/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace linerate::node {
namespace {

constexpr std::string_view kNet = "/sys/class/net/";

double number_or_0(std::string_view text) {
  const auto number = parse_number("", text);
  return number ? *number : 0;
}

std::string interface_of(std::string_view key) { return split(key, '/')[4]; }

// "Tcp: A B" and "Tcp: 1 2" of /proc/net/snmp: the number below the name; 0 where it is not there.
double tcp_count(const Snapshot& snapshot, std::string_view name) {
  const auto* text = snapshot.find("/proc/net/snmp");
  const auto lines = split(text == nullptr ? "" : *text, '\n');
  if (lines.size() < 2) return 0;
  const auto names = split(lines[0], ' '), numbers = split(lines[1], ' ');
  for (std::size_t i = 0; i < std::min(names.size(), numbers.size()); ++i)
    if (names[i] == name) return number_or_0(numbers[i]);
  return 0;
}

}  // namespace

std::vector<Seen> looks::shaped_interface(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& [key, text] : snapshot.matching("qdisc *"))
    if (text.starts_with("netem") || text.starts_with("tbf"))
      seen.push_back({.subject = std::string(key.substr(key.find(' ') + 1)),
                      .evidence = fmt::format("Its queue is '{}' (tc qdisc show).", text)});
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
    const auto packets = number_or_0(text);
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

std::vector<Seen> looks::retransmits(const Snapshot& snapshot, const Limits& limits) {
  const auto sent = tcp_count(snapshot, "OutSegs"), again = tcp_count(snapshot, "RetransSegs");
  constexpr double kFewest = 1000;  // segments
  if (again < kFewest || again <= sent * limits.retransmit_share) return {};
  return {{.subject = "TCP",
           .evidence = fmt::format("{:.2g} % of {:.0f} segments since the start were sent again "
                                   "(/proc/net/snmp).",
                                   100 * again / sent, sent)}};
}

}  // namespace linerate::node
