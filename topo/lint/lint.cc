#include "topo/lint/lint.h"

#include "topo/lint/rules.h"

#include <array>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::array kRules{
    LintRule{"degraded-link", "PCI links that trained below their maximum", rules::degraded_link},
    LintRule{"unknown-link-speed", "PCI speeds that NCCL does not know", rules::unknown_link_speed},
    LintRule{"slow-uplink", "PCI switches much slower upwards than below", rules::slow_uplink},
    LintRule{"no-nvlink", "GPUs without NVLinks among such with", rules::no_nvlink},
    LintRule{"fewer-nvlinks", "GPUs with fewer active NVLinks than their like",
             rules::fewer_nvlinks},
    LintRule{"far-nic", "GPUs whose nearest NIC is farther than that of others", rules::far_nic},
    LintRule{"hidden-bus", "virtual machines that hide their PCI bus", rules::hidden_bus},
    LintRule{"unknown-memory-node", "devices that name no memory node", rules::unknown_memory_node},
    LintRule{"inactive-port", "InfiniBand and RoCE ports that are not up", rules::inactive_port},
    LintRule{"slower-port", "ports slower than others of their model", rules::slower_port},
    LintRule{"unknown-port-speed", "ports of unknown speed", rules::unknown_port_speed},
};

}  // namespace

std::span<const LintRule> lint_rules() { return kRules; }

std::vector<LintFinding> lint(const System& system) {
  std::vector<LintFinding> all;
  for (const auto& rule : kRules)
    for (auto& finding : rule.findings(system)) {
      finding.rule = rule.name;
      all.push_back(std::move(finding));
    }
  return all;
}

}  // namespace linerate::topo
