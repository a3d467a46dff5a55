// What changed between versions of NCCL in building the graph and its paths.
#pragma once

#include "topo/graph/path_type.h"
#include "topo/version.h"

#include <cstdint>

namespace linerate::topo {

// Which NICs a GPU with C2C reaches through its processor (P2C).
enum class P2cRule : std::uint8_t {
  none,
  of_phb,   // where the way to the NIC is PHB
  of_all,   // where the processor's way to the NIC is PHB
  of_near,  // the same, for the NICs that are nearest to the GPU
};

struct GraphRules {
  bool merges_nic_functions = false;  // functions of one PCI device are one NIC
  bool flattens_gen5 = true;          // two-level Broadcom switches: Gen5 beside Gen4
  bool links_switches = true;         // <pcilink>: peers among PCI switches
  bool c2c_link = true;               // false: C2C counts as NVLink
  bool prefers_type = false;          // a path of better type, not of fewer hops or more GB/s
  bool p2p_through_cpu = false;  // GPUs reach each other through any but Intel's, ARM's, Zhaoxin's
  P2cRule p2c = P2cRule::of_near;
  PathType pxn_reach = PathType::p2c;   // how near the peer of PXN is to its NIC
  PathType pxn_beyond = PathType::pxn;  // a way farther than this yields to PXN
  bool pxn_needs_gdr = false;           // the peer reads its NIC's data directly
  bool stages_far_nics = false;    // NICs beyond the processor are staged at the GPU's own, too
  bool numbers_near_gpus = false;  // NICs are dealt out among the GPUs near them
  int most_of_a_kind = 576;        // GPUs, and NIC ports, of a node (NCCL_TOPO_MAX_NODES)
};

// As src/graph/topo.cc and paths.cc of the version's tag do it.
GraphRules graph_rules(const NcclVersion& version);

}  // namespace linerate::topo
