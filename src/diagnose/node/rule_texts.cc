// The table of checks in words, with the thresholds that they name, and an example of each that is
// examined when its page is made.
#include "base/text.h"
#include "base/units.h"
#include "diagnose/node/node.h"
#include "record/findings.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace linerate::node {
namespace {

// "shm_bytes is 1 GiB, …", of those that stand in the text.
std::string thresholds_in(std::string_view speaks) {
  std::string text;
  const Thresholds usual;
  for (const auto& [name, value] : all_thresholds()) {
    const auto at = speaks.find(name);
    if (at == std::string_view::npos || (at > 0 && speaks[at - 1] != ' ')) continue;
    text +=
        fmt::format("{}{} is {}", text.empty() ? "" : ", ", name,
                    name.ends_with("_bytes") ? bytes_text(static_cast<std::size_t>(usual.*value))
                                             : fmt::format("{}", usual.*value));
  }
  return text.empty() ? text : fmt::format(". {}; --thresholds FILE changes that in YAML", text);
}

void add_facts(Snapshot& node, std::string_view facts) {
  for (const auto& fact : split(facts, '|')) {
    const auto equals = fact.find('=');
    const auto key = fact.substr(0, equals);
    if (key == "/proc/sys/kernel/hostname") node.node = fact.substr(equals + 1);
    node.facts[key] = fact.substr(equals + 1);
  }
}

// A node with a GPU and an InfiniBand port.
Snapshot example_node(std::string name, std::string_view facts) {
  Snapshot node{.node = std::move(name)};
  add_facts(node,
            "/sys/bus/pci/devices/0000:18:00.0/class=0x030200|"
            "/sys/bus/pci/devices/0000:18:00.0/vendor=0x10de|"
            "/sys/bus/pci/devices/0000:50:00.0/class=0x020700|"
            "rdma /sys/bus/pci/devices/0000:50:00.0=mlx5_0|"
            "/sys/class/infiniband/mlx5_0/ports/1/state=4: ACTIVE|"
            "/sys/class/infiniband/mlx5_0/ports/1/phys_state=5: LinkUp|"
            "/sys/class/infiniband/mlx5_0/ports/1/link_layer=InfiniBand|"
            "/sys/devices/system/node/online=0-1|virtual machine=no|kernel log=readable|tc=asked|"
            "/proc/self/status=Cpus_allowed_list: 0-63|"
            "/proc/driver/nvidia/version=NVRM version: NVIDIA UNIX  550.90.07");
  add_facts(node, facts);
  return node;
}

std::string printed(const Check& check) {
  const auto found = examine(example_node("node001", check.example), {&check, 1}).findings;
  return found.empty() ? std::string() : finding_text(found.front());
}

std::string unlike_example() {
  constexpr std::string_view kOther =
      "/proc/driver/nvidia/version=NVRM version: NVIDIA UNIX  535.54.03";
  const std::array nodes{example_node("node001", ""), example_node("node002", ""),
                         example_node("node003", kOther)};
  return finding_text(unlike_nodes(nodes).front());
}

}  // namespace

std::vector<RuleText> rule_texts() {
  std::vector<RuleText> texts;
  for (const auto& check : all_checks())
    texts.push_back({.id = check.id,
                     .severity = check.severity,
                     .about = check.looks_at,
                     .reads = check.facts,
                     .speaks = std::string(check.speaks) + thresholds_in(check.speaks),
                     .why = check.why,
                     .remedy = check.remedy,
                     .example = printed(check)});
  texts.push_back(
      {.id = "unlike-node",
       .severity = Severity::problem,
       .about = "nodes that differ from most others",
       .reads = "several snapshots (--snapshot)",
       .speaks = "if a fact that nodes should have alike is another one than on most of them; as a "
                 "problem for the NVIDIA driver, and states, rates, link layers and MTU of RDMA "
                 "ports, else as a warning",
       .why = "A job is as fast as its slowest node, and may fail where versions differ.",
       .remedy = "make them as the others are, or leave them out of the job",
       .example = unlike_example()});
  texts.push_back({.id = "unread-node",
                   .severity = Severity::problem,
                   .about = "a node of a job that could not be read",
                   .reads = "the process that looks at the node",
                   .speaks = "if that takes too long, breaks down or says too much",
                   .why = "One of its drivers or file systems does not answer, and a job would "
                          "wait for it as well.",
                   .remedy = "look there for 'blocked for more than' in the kernel's log (dmesg), "
                             "run nvidia-smi; restart the node, or leave it out"});
  texts.push_back({.id = "quick-bench",
                   .severity = Severity::problem,
                   .about = "an all_reduce on this node that is slow, or fails (--quick-bench)",
                   .speaks = "as a problem if it fails, as a warning if its verdict is low",
                   .why = "A job on this node would be as slow, or fail as well.",
                   .remedy = "docs/low-result.md has the steps from here; if it fails, "
                             "docs/troubleshooting.md"});
  return texts;
}

}  // namespace linerate::node
