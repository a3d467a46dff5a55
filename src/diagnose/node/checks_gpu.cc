// What nvidia-smi tells of GPUs: their memory, clocks, links, modes, and who uses them.
#include "base/text.h"
#include "diagnose/node/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace linerate::node {
namespace {

// "0000:18:00.0" of "nvidia-smi 0000:18:00.0 fabric.state"
std::string place_in(std::string_view key) { return split(key, ' ')[1]; }

std::string element_in(std::string_view key) { return std::string(key.substr(key.rfind(' ') + 1)); }

// Of each GPU that tells it: "nvidia-smi 0000:18:00.0 fabric.state" and its text.
auto told_of_gpus(const Snapshot& snapshot, std::string_view element) {
  return snapshot.matching(fmt::format("nvidia-smi * {}", element));
}

std::string of_gpu(const Snapshot& snapshot, const std::string& place, std::string_view element) {
  const auto* text = snapshot.find(fmt::format("nvidia-smi {} {}", place, element));
  return text == nullptr ? std::string() : *text;
}

// "1980 MHz"; 0: not told.
double quantity(std::string_view text) { return number_before("", text.substr(0, text.find(' '))); }

Seen seen_of(std::string_view place, std::string evidence,
             std::optional<Severity> severity = std::nullopt) {
  return {.subject = fmt::format("GPU {}", place),
          .evidence = std::move(evidence),
          .severity = severity};
}

}  // namespace

// From NVIDIA's "GPU Memory Error Management", and the health checks of clouds.
std::vector<Seen> looks::gpu_memory(const Snapshot& snapshot, const Limits&) {
  struct Row {
    std::string_view element;
    double most = 0;
    Severity severity = Severity::problem;
  };
  constexpr auto kRows = std::to_array<Row>({
      {"ecc_errors.volatile.*_uncorrectable*"},
      {"ecc_errors.volatile.double_bit.total"},
      {"ecc_errors.aggregate.sram_threshold_exceeded"},
      {"ecc_errors.*_repair_pending"},
      {"ecc_errors.unrepairable_memory"},
      {"remapped_rows.remapped_row_pending"},
      {"remapped_rows.remapped_row_failure"},
      {"remapped_rows.remapped_row_unc", 512},
      {"retired_pages.pending_*"},
      {"ecc_errors.aggregate.sram_uncorrectable*", 0, Severity::warning},
      {"ecc_errors.volatile.sram_correctable", 1e4, Severity::warning},
      {"ecc_errors.volatile.dram_correctable", 2e7, Severity::warning},
  });
  std::vector<Seen> seen;
  for (const auto& row : kRows)
    for (const auto& [key, text] : told_of_gpus(snapshot, row.element))
      if (text == "Yes" || quantity(text) > row.most)
        seen.push_back(seen_of(place_in(key),
                               fmt::format("{} is {} (nvidia-smi).", element_in(key), text),
                               row.severity));
  return seen;
}

// Reasons now, one of each GPU, and how long it was slowed down before.
std::vector<Seen> looks::gpu_throttled(const Snapshot& snapshot, const Limits& limits) {
  struct Reason {
    std::string_view name, counter, cause;
  };
  constexpr auto kReasons = std::to_array<Reason>({
      {"hw_thermal_slowdown", "hw_therm_slowdown", "heat"},
      {"sw_thermal_slowdown", "sw_therm_slowdown", "heat"},
      {"hw_power_brake_slowdown", "hw_power_brake", "the power supply"},
      {"hw_slowdown", "", "heat or the power supply"},
  });
  std::vector<Seen> seen;
  std::set<std::string> slow;
  for (const auto& [name, counter, cause] : kReasons)
    for (const auto& [key, text] : told_of_gpus(snapshot, fmt::format("clocks_*_reason_{}", name)))
      if (text == "Active" && slow.insert(place_in(key)).second)
        seen.push_back(seen_of(
            place_in(key),
            fmt::format("Its clocks are lowered for {}: {} is active (nvidia-smi).", cause, name)));
  constexpr double kUsPerS = 1e6;
  for (const auto& [name, counter, cause] : kReasons)
    for (const auto& [key, text] :
         told_of_gpus(snapshot, fmt::format("clocks_event_reasons_counters.*_{}", counter)))
      if (const double seconds = quantity(text) / kUsPerS;
          !counter.empty() && seconds >= limits.slowed_s && !slow.contains(place_in(key)))
        seen.push_back(seen_of(place_in(key),
                               fmt::format("Its clocks were lowered for {} for {:.3g} s since the "
                                           "driver was loaded ({}, nvidia-smi).",
                                           cause, seconds, counter),
                               Severity::info));
  return seen;
}

std::vector<Seen> looks::gpu_settings(const Snapshot& snapshot, const Limits&) {
  struct Setting {
    std::string_view element, wrong, effect;
  };
  constexpr auto kSettings = std::to_array<Setting>({
      {"persistence_mode", "Disabled", "each first use of the GPU waits for its driver to start"},
      {"mig_mode.current_mig", "Enabled", "its parts do not reach other GPUs directly"},
      {"compute_mode", "Exclusive", "a second process that uses it fails"},
      {"compute_mode", "Prohibited", "every process that uses it fails"},
      {"ecc_mode.current_ecc", "Disabled", "errors of its memory go unnoticed"},
  });
  struct Lowered {
    std::string_view element, usual, what;
  };
  constexpr auto kLowered = std::to_array<Lowered>({
      {"gpu_power_readings.current_power_limit", "gpu_power_readings.default_power_limit", "power"},
      {"power_readings.power_limit", "power_readings.default_power_limit", "power"},
      {"applications_clocks.graphics_clock", "default_applications_clocks.graphics_clock", "clock"},
  });
  std::vector<Seen> seen;
  for (const auto& [element, wrong, effect] : kSettings)
    for (const auto& [key, text] : told_of_gpus(snapshot, element))
      if (text.starts_with(wrong))
        seen.push_back(seen_of(place_in(key),
                               fmt::format("{} is {}: {} (nvidia-smi).", element, text, effect),
                               Severity::info));
  for (const auto& [element, usual, what] : kLowered)
    for (const auto& [key, text] : told_of_gpus(snapshot, element)) {
      const auto most = of_gpu(snapshot, place_in(key), usual);
      if (quantity(text) > 0 && quantity(text) < quantity(most))
        seen.push_back(seen_of(place_in(key),
                               fmt::format("Its {} is limited to {}, of {} usually (nvidia-smi): "
                                           "it computes more slowly.",
                                           what, text, most),
                               Severity::warning));
    }
  return seen;
}

// NVSwitches within a node, and of several nodes (MNNVL), whose cluster has a number.
std::vector<Seen> looks::gpu_fabric(const Snapshot& snapshot, const Limits&) {
  struct Health {
    std::string_view element, good;
  };
  constexpr auto kHealth = std::to_array<Health>({
      {"fabric.health.summary", "Healthy"},
      {"fabric.health.bandwidth", "Full"},
      {"fabric.health.route_recovery_in_progress", "False"},
      {"fabric.health.route_unhealthy", "False"},
      {"fabric.health.access_timeout_recovery", "False"},
      {"fabric.health.incorrect_configuration", "None"},
  });
  std::vector<Seen> seen;
  const auto* manager = snapshot.find("nv-fabricmanager");
  const auto* driver = snapshot.find("/proc/driver/nvidia/version");
  if (manager != nullptr && driver != nullptr && driver->find(*manager) == std::string::npos)
    seen.push_back(
        {.subject = "the fabric manager",
         .evidence = fmt::format("It is {}, and the driver another version (nv-"
                                 "fabricmanager --version, /proc/driver/nvidia/version).",
                                 *manager)});
  for (const auto& [key, state] : told_of_gpus(snapshot, "fabric.state")) {
    const auto status = of_gpu(snapshot, place_in(key), "fabric.status");
    if (state == "Not Supported" || (state == "Completed" && status == "Success")) continue;
    seen.push_back(seen_of(place_in(key), fmt::format("Its NVLink fabric is '{}', with status '{}' "
                                                      "(nvidia-smi).",
                                                      state, status)));
  }
  for (const auto& [element, good] : kHealth)
    for (const auto& [key, text] : told_of_gpus(snapshot, element))
      if (text != good && text != "Not Supported")
        seen.push_back(seen_of(
            place_in(key), fmt::format("{} is '{}', not '{}' (nvidia-smi).", element, text, good),
            Severity::warning));
  for (const auto* element : {"fabric.clusterUuid", "fabric.cliqueId"}) {
    std::set<std::string_view> values;
    for (const auto& [key, text] : told_of_gpus(snapshot, element)) values.insert(text);
    if (values.size() > 1)
      seen.push_back({.subject = "the GPUs of this node",
                      .evidence = fmt::format("{} has {} values: their NVLinks do not join them "
                                              "all (nvidia-smi).",
                                              element, values.size()),
                      .severity = Severity::warning});
  }
  return seen;
}

std::vector<Seen> looks::gpu_recovery(const Snapshot& snapshot, const Limits&) {
  std::vector<Seen> seen;
  for (const auto& [key, action] : told_of_gpus(snapshot, "gpu_recovery_action"))
    if (action != "None")
      seen.push_back(seen_of(place_in(key), fmt::format("Its driver asks for this: {} "
                                                        "(gpu_recovery_action, nvidia-smi).",
                                                        action)));
  return seen;
}

std::vector<Seen> looks::gpu_vbios(const Snapshot& snapshot, const Limits&) {
  std::map<std::string, std::map<std::string_view, std::vector<std::string>>> models;
  for (const auto& [key, version] : told_of_gpus(snapshot, "vbios_version"))
    models[of_gpu(snapshot, place_in(key), "product_name")][version].push_back(place_in(key));
  std::vector<Seen> seen;
  for (const auto& [model, versions] : models) {
    if (versions.size() < 2) continue;
    std::string text;
    for (const auto& [version, places] : versions)
      text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", version,
                          places.size() == 1 ? places[0] : counted(places.size(), "GPU"));
    seen.push_back({.subject = "GPUs of one model",
                    .evidence = fmt::format("Their VBIOS differs: {} (nvidia-smi).", text)});
  }
  return seen;
}

// An idle GPU slows its link down, and is in a state below P0 then. What Linux shows of a link is
// for degraded-link; in virtual machines that may be less than what the GPU tells.
std::vector<Seen> looks::gpu_link(const Snapshot& snapshot, const Limits& limits) {
  constexpr std::string_view kInfo = "pci.pci_gpu_link_info.";
  std::vector<Seen> seen;
  for (const auto& [key, state] : told_of_gpus(snapshot, "performance_state")) {
    const auto place = place_in(key);
    const auto number = [&](std::string_view element) {
      return quantity(of_gpu(snapshot, place, fmt::format("{}{}", kInfo, element)));
    };
    const auto now = number("pcie_gen.current_link_gen"), most = number("pcie_gen.max_link_gen");
    if (state == "P0" && now > 0 && now < most)
      seen.push_back(seen_of(place, fmt::format("Its link is PCIe {}.0 in performance state P0, "
                                                "and could be {}.0 (nvidia-smi).",
                                                now, most)));
    auto wide = of_gpu(snapshot, place, fmt::format("{}link_widths.current_link_width", kInfo));
    const auto widest = number_before(
        "x", of_gpu(snapshot, place, fmt::format("{}link_widths.max_link_width", kInfo)));
    const auto* by_linux = snapshot.find(fmt::format("{}{}/current_link_width", kPci, place));
    if (number_before("x", wide) > 0 && number_before("x", wide) < widest &&
        (by_linux == nullptr || *by_linux + "x" != wide))
      seen.push_back(seen_of(place, fmt::format("Its link has {} lanes of {:.0f} (nvidia-smi).",
                                                number_before("x", wide), widest)));
    if (const auto replays = quantity(of_gpu(snapshot, place, "pci.replay_counter"));
        replays > limits.correctable_errors)
      seen.push_back(seen_of(place,
                             fmt::format("{:.0f} packets were sent again over its PCIe link since "
                                         "it was reset (replay_counter, nvidia-smi).",
                                         replays),
                             Severity::info));
  }
  return seen;
}

std::vector<Seen> looks::nvlink_errors(const Snapshot& snapshot, const Limits&) {
  std::map<std::string, std::string> counts;
  for (const auto& [key, count] : told_of_gpus(snapshot, "nvlink.*_errors"))
    if (count != "0") {
      auto& text = counts[place_in(key)];
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", element_in(key).substr(7), count);
    }
  std::vector<Seen> seen;
  for (const auto& [place, text] : counts)
    seen.push_back(seen_of(place, fmt::format("Its NVLinks together count: {} (nvidia-smi nvlink "
                                              "-e).",
                                              text)));
  return seen;
}

bool needs::several_nvidia(const Snapshot& snapshot) {
  return nvidia(snapshot) && told_of_gpus(snapshot, "processes").size() > 1;
}

// Behind NVSwitches every GPU reaches every other one; elsewhere processors may stand between.
std::vector<Seen> looks::gpu_peers(const Snapshot& snapshot, const Limits&) {
  struct Code {
    std::string_view word, meaning;
  };
  constexpr auto kCodes = std::to_array<Code>({
      {"CNS", "the chipset does not support it"},
      {"GNS", "the GPU does not support it"},
      {"TNS", "their places on the bus do not allow it"},
      {"DR", "a setting of the driver disables it"},
      {"NS", "it is not supported"},
  });
  constexpr double kBehindSwitches = 12;  // NVLinks of an A100; later ones have more
  std::map<std::string_view, std::vector<std::string>> by_word;
  bool switched = false;
  for (const auto& [key, word] : snapshot.matching("nvidia-p2p *")) {
    const auto pair = split(key, ' ');
    by_word[word].push_back(fmt::format("{} and {}", pair[1], pair.back()));
    const auto* gpu = snapshot.find("gpu " + pair[1]);
    const auto links = gpu == nullptr ? "" : gpu->substr(gpu->rfind(' ', gpu->rfind(' ') - 1) + 1);
    switched = switched || number_before(" NVLinks", links) >= kBehindSwitches;
  }
  std::vector<Seen> seen;
  for (const auto& [word, pairs] : by_word) {
    const auto code = std::ranges::find(kCodes, word, &Code::word);
    seen.push_back(
        {.subject =
             pairs.size() == 1 ? "GPUs " + pairs[0] : counted(pairs.size(), "pair") + " of GPUs",
         .evidence = fmt::format("They do not reach each other's memory{}: {}{} (nvidia-smi topo "
                                 "-p2p r).",
                                 pairs.size() == 1 ? "" : ", as " + pairs[0], word,
                                 code == kCodes.end() ? "" : fmt::format(", {}", code->meaning)),
         .severity = switched ? Severity::problem : Severity::warning});
  }
  return seen;
}

// Of the NVLinks between nodes (MNNVL): their cluster has a number that is not 0.
bool needs::nvlinks_between_nodes(const Snapshot& snapshot) {
  return std::ranges::any_of(told_of_gpus(snapshot, "fabric.clusterUuid"), [](const auto& fact) {
    return fact.second.find_first_not_of("0-") != std::string_view::npos;
  });
}

std::vector<Seen> looks::imex_channel(const Snapshot& snapshot, const Limits&) {
  const auto* access = snapshot.find("access /dev/nvidia-caps-imex-channels");
  if (access == nullptr || *access == "read and write") return {};
  const bool denied = *access == "denied";
  return {{.subject = "/dev/nvidia-caps-imex-channels",
           .evidence = denied ? "This process may not read and write any channel in it."
                              : "It is not there, or holds no channel.",
           .severity = denied ? Severity::problem : Severity::warning}};
}

// A job of the user's own that runs is meant; memory without a process is not.
std::vector<Seen> looks::gpu_in_use(const Snapshot& snapshot, const Limits& limits) {
  std::vector<Seen> seen;
  for (const auto& [key, count] : told_of_gpus(snapshot, "processes")) {
    const auto place = place_in(key);
    const auto used = of_gpu(snapshot, place, "fb_memory_usage.used");
    if (quantity(used) * (1 << 20) <= limits.gpu_used_bytes) continue;
    seen.push_back(
        count == "0"
            ? seen_of(place, fmt::format("{} of its memory are used by processes that are not "
                                         "seen from here (nvidia-smi).",
                                         used))
            : seen_of(place,
                      fmt::format("{} of its memory are used, by {} (nvidia-smi).", used,
                                  counted(static_cast<std::size_t>(quantity(count)), "process")),
                      Severity::info));
  }
  return seen;
}

}  // namespace linerate::node
