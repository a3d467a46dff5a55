// Congestion, the quality of links, and what DCGM finds.
#include "base/text.h"
#include "diagnose/node/checks.h"

#include <fmt/format.h>

#include <map>

namespace linerate::node {
namespace {

std::string last_word(std::string_view key) {
  return std::string(key.substr(key.find_last_of(" /") + 1));
}

void append(std::string& list, std::string_view name, std::string_view value) {
  list += fmt::format("{}{} {}", list.empty() ? "" : ", ", name, value);
}

}  // namespace

// Of each port the packets by which it was told, or told others, of congestion.
std::vector<Seen> looks::congestion(const Snapshot& snapshot, const Limits&) {
  std::map<std::string, std::string> counts;
  for (const std::string_view name : {"np_cnp_sent", "rp_cnp_handled"})
    for (const auto& [key, text] :
         snapshot.matching(fmt::format("/sys/class/infiniband/*/ports/*/hw_counters/{}", name)))
      if (text != "0") append(counts[split(key, '/')[4]], name, text);
  std::vector<Seen> seen;
  for (const auto& [device, text] : counts)
    seen.push_back(
        {.subject = device,
         .evidence = fmt::format("Since its driver was loaded: {} (hw_counters).", text)});
  for (const auto* side : {"roce_np", "roce_rp"})
    for (const auto& [key, text] :
         snapshot.matching(fmt::format("/sys/class/net/*/ecn/{}/enable/*", side)))
      if (text == "0")
        seen.push_back({.subject = split(key, '/')[4],
                        .evidence = fmt::format("Its congestion control is off ({}).", key)});
  return seen;
}

std::vector<Seen> looks::pause_frames(const Snapshot& snapshot, const Limits&) {
  std::map<std::string, std::string> pauses, drops;
  for (const auto& [key, text] : snapshot.matching("ethtool * *")) {
    const auto name = last_word(key);
    append((name.find("discards") == std::string::npos && name.find("storm") == std::string::npos
                ? pauses
                : drops)[split(key, ' ')[1]],
           name, text);
  }
  std::vector<Seen> seen;
  for (const auto& [interface, text] : drops)
    seen.push_back({.subject = interface,
                    .evidence = fmt::format("Packets were lost: {} (ethtool -S).", text),
                    .severity = Severity::warning});
  for (const auto& [interface, text] : pauses)
    seen.push_back(
        {.subject = interface,
         .evidence = fmt::format("It was paused, or paused others: {} (ethtool -S).", text)});
  return seen;
}

// The effective rate is what error correction leaves.
std::vector<Seen> looks::link_quality(const Snapshot& snapshot, const Limits& limits) {
  std::vector<Seen> seen;
  for (const auto& [key, text] : snapshot.matching("mlxlink * *_ber")) {
    const bool raw = key.ends_with("raw_ber");
    const auto rate = snapshot.number(key).value_or(0);
    if (rate <= (raw ? limits.raw_bit_errors : limits.bit_errors)) continue;
    seen.push_back({.subject = split(key, ' ')[1],
                    .evidence = fmt::format("{} of its bits arrive wrong{} (mlxlink -c).", text,
                                            raw ? " before they are corrected" : ""),
                    .severity = !raw && rate > limits.bit_errors_lost ? Severity::problem
                                                                      : Severity::warning});
  }
  return seen;
}

std::vector<Seen> looks::gpu_diagnosis(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& [key, text] : snapshot.matching("dcgmi * *"))
    seen.push_back({.subject = "DCGM",
                    .evidence = fmt::format("{} (dcgmi diag -r 1).", text),
                    .severity = key.ends_with("fail") ? Severity::problem : Severity::warning});
  return seen;
}

}  // namespace linerate::node
