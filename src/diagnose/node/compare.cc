// A node's value of a row is all its facts of the pattern, sorted, equal ones counted: names of
// devices may differ. The value of most nodes is the right one; the others stand out.
#include "base/text.h"
#include "diagnose/node/node.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace linerate::node {
namespace {

struct Compared {
  std::string_view what;
  std::string_view pattern;
  Severity severity = Severity::warning;
  double tolerance = 0;  // of numbers that are alike if they differ by no larger part
};

constexpr auto kCompared = std::to_array<Compared>({
    {"NVIDIA driver", "/proc/driver/nvidia/version", Severity::problem},
    {"parameters of the NVIDIA driver", "/proc/driver/nvidia/params"},
    {"kernel", "/proc/sys/kernel/osrelease"},
    {"distribution", "/etc/os-release"},
    {"kernel modules of GPUs and RDMA", "/proc/modules"},
    {"IOMMU words of the kernel's command line", "/proc/cmdline"},
    {"processor", "processor"},
    {"processors online", "/sys/devices/system/cpu/online"},
    {"isolated processors", "/sys/devices/system/cpu/isolated"},
    {"simultaneous multithreading", "/sys/devices/system/cpu/smt/control"},
    {"frequency governor", "/sys/devices/system/cpu/*/cpufreq/scaling_governor"},
    {"NUMA nodes", "/sys/devices/system/node/online"},
    {"NUMA balancing", "/proc/sys/kernel/numa_balancing"},
    {"transparent huge pages", "/sys/kernel/mm/transparent_hugepage/enabled"},
    {"clock source", "/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"limits", "/proc/self/limits"},
    {"processor time allowed", "cgroup cpu.max"},
    {"memory", "memory", Severity::problem, 0.02},
    {"memory allowed", "cgroup memory.max"},
    {"firmware of RDMA devices", "/sys/class/infiniband/*/fw_ver"},
    {"models of RDMA devices", "/sys/class/infiniband/*/board_id"},
    {"states of RDMA ports", "/sys/class/infiniband/*/ports/*/state", Severity::problem},
    {"rates of RDMA ports", "/sys/class/infiniband/*/ports/*/rate", Severity::problem},
    {"link layers of RDMA ports", "/sys/class/infiniband/*/ports/*/link_layer", Severity::problem},
    {"partition keys of RDMA ports", "/sys/class/infiniband/*/ports/*/pkeys/*", Severity::problem},
    {"MTU of RDMA interfaces", "/sys/class/infiniband/*/device/net/*/mtu", Severity::problem},
    {"PCI devices", "/sys/bus/pci/devices/*/class"},
    {"speeds of PCI links", "/sys/bus/pci/devices/*/max_link_speed"},
    {"widths of PCI links", "/sys/bus/pci/devices/*/current_link_width"},
    {"IOMMU groups", "/sys/bus/pci/devices/*/iommu_group/type"},
    {"GPUs", "gpu *", Severity::problem},
    {"VBIOS of GPUs", "nvidia-smi * vbios_version"},
    {"power limits of GPUs", "nvidia-smi * *power_readings.*power_limit"},
    {"clocks of applications on GPUs", "nvidia-smi * applications_clocks.graphics_clock"},
    {"NVLink clusters of GPUs", "nvidia-smi * fabric.clusterUuid", Severity::info},
    {"NVLink cliques of GPUs", "nvidia-smi * fabric.cliqueId", Severity::info},
    {"indices of RoCE v2 addresses (NCCL_IB_GID_INDEX)",
     "roce index /sys/class/infiniband/*/ports/*"},
    // Which those who gather the nodes of a running job add.
    {"settings of NCCL", "settings of NCCL", Severity::problem},
    {"clock", "clock when all were read"},
});

// "400 Gb/sec (4X NDR) x8"; empty: none.
std::string value_of(const Snapshot& snapshot, std::string_view pattern) {
  std::map<std::string_view, int> counts;
  for (const auto& [key, text] : snapshot.matching(pattern)) ++counts[text];
  std::string value;
  for (const auto& [text, count] : counts) {
    value += value.empty() ? "" : ", ";
    value += count > 1 ? fmt::format("{} x{}", text, count) : std::string(text);
  }
  return value;
}

// Those of `nodes`; numbers that are alike as their median is.
std::vector<std::string> values_of(std::span<const Snapshot> nodes, const Compared& row) {
  std::vector<std::string> values;
  for (const auto& node : nodes) values.push_back(value_of(node, row.pattern));
  if (row.tolerance == 0) return values;
  const auto number = [](const std::string& text) { return number_before(" GiB", text); };
  auto sorted = values;
  std::ranges::sort(sorted, {}, number);
  const auto& median = sorted[sorted.size() / 2];
  for (auto& value : values)
    if (std::abs(number(value) - number(median)) <= row.tolerance * number(median)) value = median;
  return values;
}

constexpr std::size_t kShownNodes = 8;

std::string names_text(const std::vector<std::string_view>& names) {
  const auto shown = std::min(names.size(), kShownNodes);
  const auto text = join(std::span(names).first(shown), ", ");
  return names.size() > shown ? fmt::format("{} and {} more", text, names.size() - shown) : text;
}

// What differs of two texts of several lines or words, short ones as they are.
std::string shown(std::string_view value, std::string_view other) {
  constexpr std::size_t kShown = 100;
  if (value.empty()) return "none";
  std::string lines;
  for (const auto& line : split(value, '\n')) {
    const auto theirs = split(other, '\n');
    if (std::ranges::find(theirs, line) == theirs.end())
      lines += (lines.empty() ? "" : "; ") + line;
  }
  return fmt::format("'{}'", shortened(lines.empty() ? value : lines, kShown));
}

}  // namespace

std::vector<Finding> unlike_nodes(std::span<const Snapshot> nodes) {
  std::vector<Finding> findings;
  for (const auto& row : kCompared) {
    std::map<std::string, std::vector<std::string_view>> by_value;
    const auto values = values_of(nodes, row);
    for (std::size_t i = 0; i < nodes.size(); ++i) by_value[values[i]].push_back(nodes[i].node);
    const auto usual =
        std::ranges::max_element(by_value, {}, [](const auto& v) { return v.second.size(); });
    for (const auto& [value, names] : by_value) {
      if (value == usual->first) continue;
      const bool most = 2 * usual->second.size() > nodes.size();
      findings.push_back(
          {.rule = "unlike-node",
           .severity = row.severity,
           .subject = names_text(names),
           .evidence = fmt::format(
               "{}: {}, and {} on {} ({}).", row.what, shown(value, usual->first),
               shown(usual->first, value),
               most ? counted(usual->second.size(), "other node") : names_text(usual->second),
               row.pattern),
           .advice = most ? "make them as the others are, or leave them out of the job"
                          : "make all nodes of a job alike"});
    }
  }
  std::ranges::stable_sort(findings, std::greater<>(), &Finding::severity);
  return findings;
}

}  // namespace linerate::node
