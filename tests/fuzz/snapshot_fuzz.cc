// Text as a snapshot of a node, what the checks make of it, and PCI configuration spaces.
#include "diagnose/node/snapshot_parts.h"
#include "topo/lint/lint.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)node::pci_capabilities(text);
  node::Snapshot asked;
  node::add_kernel_events(asked, text, 1e12);
  (void)node::add_gpu_states(asked, text);
  const std::array<std::string, 2> gpus{"0000:18:00.0", "0000:2a:00.0"};
  node::add_nvlink_errors(asked, gpus, text);
  node::add_peer_access(asked, gpus, text);
  node::add_interface_counters(asked, "ens0", text);
  node::add_link_quality(asked, "mlx5_0", text);
  node::add_diagnosis(asked, text);
  (void)node::examine(asked, node::all_checks());
  node::add_shaping(asked, text);
  node::add_firewall(asked, text);
  const auto snapshot = node::parse_snapshot(text);
  if (!snapshot) {
    if (snapshot.sentence().empty()) std::abort();
    return 0;
  }
  const auto again = node::parse_snapshot(node::snapshot_text(*snapshot));
  if (!again) std::abort();
  for (const auto& finding : node::examine(*snapshot, node::all_checks()).findings)
    if (finding.subject.empty() || finding.evidence.empty()) std::abort();
  if (snapshot->topology)
    for (const auto& finding : topo::lint(*snapshot->topology))
      if (finding.subject.empty() || finding.evidence.empty()) std::abort();
  (void)node::unlike_nodes(std::array{*snapshot, node::Snapshot{.node = "other"}});
  return 0;
}
