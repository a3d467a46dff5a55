// What nvidia-smi prints, reduced to what the checks look at: no names of processes, no serials.
#include "base/text.h"
#include "diagnose/node/snapshot_parts.h"
#include "topo/read/xml_file.h"
#include "topo/system/pci_ids.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>

namespace linerate::node {
namespace {

// Elements below <gpu>, with all that is in them; some have other names in older drivers.
constexpr auto kKeptElements = std::to_array<std::string_view>({
    "product_name",
    "vbios_version",
    "persistence_mode",
    "mig_mode.current_mig",
    "compute_mode",
    "gpu_recovery_action",
    "performance_state",
    "pci.pci_gpu_link_info",
    "pci.replay_counter",
    "clocks_event_reasons",
    "clocks_throttle_reasons",
    "clocks_event_reasons_counters",
    "fb_memory_usage.used",
    "ecc_mode.current_ecc",
    "ecc_errors",
    "retired_pages.pending_blacklist",
    "retired_pages.pending_retirement",
    "remapped_rows",
    "gpu_power_readings.current_power_limit",
    "gpu_power_readings.default_power_limit",
    "power_readings.power_limit",
    "power_readings.default_power_limit",
    "applications_clocks.graphics_clock",
    "default_applications_clocks.graphics_clock",
    "fabric",
});

bool is_kept(std::string_view path) {
  return std::ranges::any_of(kKeptElements, [&](std::string_view kept) {
    return path.starts_with(kept) && (path.size() == kept.size() || path[kept.size()] == '.');
  });
}

// `path` is that of `element` below <gpu>: its names with points between.
void add_elements(Snapshot& snapshot, const std::string& gpu, const std::string& path,
                  const pugi::xml_node& element) {
  for (const auto& child : element.children()) {
    if (child.type() != pugi::node_element) continue;
    const auto name = path.empty() ? std::string(child.name()) : path + '.' + child.name();
    add_elements(snapshot, gpu, name, child);
    const auto text = trim(child.child_value());
    if (!text.empty() && text != "N/A" && is_kept(name))
      snapshot.facts[fmt::format("nvidia-smi {} {}", gpu, name)] = text;
  }
}

}  // namespace

std::vector<std::string> add_gpu_states(Snapshot& snapshot, std::string_view xml) {
  std::vector<std::string> gpus;
  const auto file = topo::XmlFile::parse(xml, "nvidia-smi");
  if (!file) {
    snapshot.facts["could not run nvidia-smi"] = "prints no XML";
    return gpus;
  }
  for (const auto& gpu : file->document().child("nvidia_smi_log").children("gpu")) {
    const auto id = topo::parse_bus_id(gpu.attribute("id").value());
    if (!id) continue;
    gpus.push_back(text_of(*id));
    add_elements(snapshot, gpus.back(), "", gpu);
    const auto processes = gpu.child("processes").children("process_info");
    const auto count = std::distance(processes.begin(), processes.end());
    snapshot.facts[fmt::format("nvidia-smi {} processes", gpus.back())] = std::to_string(count);
  }
  return gpus;
}

// Below a line "GPU 0: NVIDIA H100 ..." lines such as "Link 3: CRC Errors: 12".
void add_nvlink_errors(Snapshot& snapshot, std::span<const std::string> gpus,
                       std::string_view counters) {
  std::map<std::string, std::int64_t> sums;
  const std::string* gpu = nullptr;
  for (const auto& line : split(counters, '\n')) {
    const auto parts = split(std::string(trim(line)), ':');
    if (parts[0].starts_with("GPU ")) {
      const auto index = parse_integer("", parts[0].substr(4));
      const bool known = index && *index >= 0 && *index < std::ssize(gpus);
      gpu = known ? &gpus[static_cast<std::size_t>(*index)] : nullptr;
    }
    if (gpu == nullptr || parts.size() != 3 || !parts[0].starts_with("Link ")) continue;
    std::string kind(trim(parts[1]));
    const auto count = parse_integer("", trim(parts[2]));
    if (!kind.ends_with(" Errors") || !count || *count < 0) continue;
    for (char& c : kind) c = c == ' ' ? '_' : static_cast<char>(std::tolower(c));
    auto& sum = sums[fmt::format("nvidia-smi {} nvlink.{}", *gpu, kind)];
    sum += std::min(*count, std::int64_t{1} << 40);
  }
  for (const auto& [key, sum] : sums) snapshot.facts[key] = std::to_string(sum);
}

// A line " GPU0 X OK CNS" for each GPU, below the names.
void add_peer_access(Snapshot& snapshot, std::span<const std::string> gpus,
                     std::string_view matrix) {
  snapshot.facts["nvidia-p2p"] = "asked";
  std::size_t row = 0;
  for (const auto& line : split(matrix, '\n')) {
    std::vector<std::string> words;
    std::string blanks(line);
    std::ranges::replace(blanks, '\t', ' ');
    std::ranges::copy_if(split(blanks, ' '), std::back_inserter(words),
                         [](const std::string& word) { return !word.empty(); });
    if (words.size() != gpus.size() + 1 || words[0] != fmt::format("GPU{}", row)) continue;
    for (std::size_t i = row + 1; i < gpus.size(); ++i)
      if (words[i + 1] != "OK")
        snapshot.facts[fmt::format("nvidia-p2p {} {}", gpus[row], gpus[i])] = words[i + 1];
    if (++row == gpus.size()) return;
  }
}

}  // namespace linerate::node
