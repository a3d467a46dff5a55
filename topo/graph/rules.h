// The types of paths in NCCL's order, and what changed between its versions in building the graph
// and its paths.
#pragma once

#include "topo/version.h"

#include <cstdint>
#include <string_view>

namespace linerate::topo {

// Best to worst, as NCCL 2.27.5 and later order them (src/graph/topo.h).
enum class PathType : std::uint8_t {
  loc,  // the same device
  nvl,  // NVLink, also through an NVSwitch
  nvb,  // NVLink through one other GPU
  c2c,  // from a GPU to the processor in its package
  pix,  // one PCI switch
  pxb,  // several PCI switches, not the processor
  p2c,  // GPU, C2C, processor, PCI, NIC
  pxn,  // a NIC that a peer GPU reaches
  phb,  // through the processor
  sys,  // from one processor to another
  net,  // the network
  dis,  // none
};

std::string_view name_of(PathType type);  // "NVL"

// Whether `a` is nearer than `b` to that version of NCCL: 2.27.3 put P2C behind PXN, and before it
// there was no P2C.
bool nearer(PathType a, PathType b, NcclVersion version);

// The same order as numbers, from 0 for the best; and back.
int place_of(PathType type, const NcclVersion& version);
PathType type_at(int place, const NcclVersion& version);

// Whether that version knows the type: C2C came with 2.26, P2C with 2.27.
bool has_path_type(PathType type, const NcclVersion& version);

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
  int max_of_a_kind = 576;         // GPUs, and NIC ports, of a node (NCCL_TOPO_MAX_NODES)
};

// As src/graph/topo.cc and paths.cc of the version's tag do it.
GraphRules graph_rules(const NcclVersion& version);

}  // namespace linerate::topo
