// What tools of vendors tell of links and GPUs, reduced to what the checks look at.
#include "base/text.h"
#include "diagnose/node/snapshot_parts.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>

namespace linerate::node {
namespace {

constexpr std::size_t kMostFailures = 100;
constexpr int kDeepest = 32;

bool is_above_zero(std::string_view text) {
  const auto number = parse_number("", text);
  return number && *number > 0;
}

// The text of a member; an array's first text; empty: none.
std::string text_of_member(const nlohmann::json& object, const char* name) {
  const auto at = object.find(name);
  if (at == object.end()) return {};
  const auto& value = at->is_array() && !at->empty() ? at->front() : *at;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  return value.is_object() && value.contains("warning") && value["warning"].is_string()
             ? value["warning"].get<std::string>()
             : std::string();
}

}  // namespace

// Lines "     rx_prio3_pause: 12".
void add_interface_counters(Snapshot& snapshot, std::string_view interface,
                            std::string_view counters) {
  snapshot.facts[fmt::format("ethtool {}", interface)] = "asked";
  for (const auto& line : split(counters, '\n')) {
    const auto words = split(line, ':');
    const auto name = trim(words[0]), value = trim(words.back());
    const bool told = name.ends_with("_pause") ||
                      name.find("pause_storm") != std::string_view::npos ||
                      name.ends_with("_discards") || name.ends_with("_discards_phy");
    if (told && words.size() == 2 && is_above_zero(value))
      snapshot.facts[fmt::format("ethtool {} {}", interface, name)] = value;
  }
}

// Lines "Effective Physical BER             : 15E-255".
void add_link_quality(Snapshot& snapshot, std::string_view device, std::string_view told) {
  for (const auto& line : split(told, '\n'))
    for (const auto& [begin, name] : {std::pair("Effective Physical BER", "effective_ber"),
                                      std::pair("Raw Physical BER", "raw_ber")}) {
      const auto words = split(line, ':');
      if (words.size() == 2 && trim(words[0]) == begin && parse_number("", trim(words[1])))
        snapshot.facts[fmt::format("mlxlink {} {}", device, name)] = trim(words[1]);
    }
}

// {"name": "Denylist", "results": [{"status": "Fail", "gpu_id": "0", "warnings": ["…"]}]}, at any
// depth: what stands around it changes with the version.
void add_diagnosis(Snapshot& snapshot, std::string_view told) {
  const auto json =
      nlohmann::json::parse(told.substr(std::min(told.find('{'), told.size())), nullptr, false);
  if (!json.is_object()) {
    snapshot.facts["could not run dcgmi"] = "prints no JSON";
    return;
  }
  snapshot.facts["dcgmi"] = "asked";
  std::size_t found = 0;
  const std::function<void(const nlohmann::json&, const std::string&, int)> look =
      [&](const nlohmann::json& part, const std::string& test, int depth) {
        if (!part.is_structured() || found >= kMostFailures || depth > kDeepest) return;
        const auto name = part.is_object() ? text_of_member(part, "name") : std::string();
        const auto status = part.is_object() ? lower(text_of_member(part, "status")) : "";
        if (status == "fail" || status == "warn")
          snapshot.facts[fmt::format("dcgmi {} {}", ++found, status)] =
              plain_text(fmt::format("{}: {}", test, text_of_member(part, "warnings")));
        for (const auto& child : part) look(child, name.empty() ? test : name, depth + 1);
      };
  look(json, "diagnosis", 0);
}

}  // namespace linerate::node
