// What changed between versions of NCCL in its search for channels.
#pragma once

#include "topo/version.h"

#include <cstdint>
#include <span>

namespace linerate::topo {

// How far the next GPU behind an NVSwitch is looked for.
enum class SwitchOrder : std::uint8_t {
  any,               // as anywhere else
  neighbours_first,  // the GPUs beside it by number, then the others
  neighbours_only,
};

struct SearchRules {
  int max_channels = 64;      // MAXCHANNELS
  int step_budget = 1 << 19;  // of all attempts together
  SwitchOrder switch_order = SwitchOrder::neighbours_only;
  bool types_from_graph = true;      // begins at the nearest path type that there is
  bool far_nics_before_sm90 = true;  // a tree may come back to any NIC below compute capability 9
  bool pairs_rings = true;           // rings over several NICs go back and forth in pairs
  bool replays_only = true;          // same channels: nothing but the last one's path is tried
  bool asks_nearest_gpus = true;     // a channel begins at the GPUs nearest to its NIC
  bool takes_turns = true;           // each channel first tries another NIC, and up to 2.26 GPU
  bool asks_behind_switch = false;   // 2.18: a reference is asked for behind NVSwitches, too
  bool gpus_first = true;            // NICs of several hosts are taken GPU by GPU
  bool splits_need_two = true;       // two NVLink domains: at least two rings
  bool caps_heads = true;            // NVLS: at most 32 heads
  int min_nvls_gpus = 2;             // NVLS: of a node
  bool nvls_between_nodes = true;    // 2.20 leaves it out (src/transport/nvls.cc, ncclNvlsInit)
  bool keeps_amd_channels = true;    // channels through AMD's sockets stay the same
  bool raises_rings = true;          // the second pass tries faster rings and NVLS, too
  bool alarm_tells_nets = true;      // the simple order has no speed between nodes without ports
  bool skips_used_heads = true;      // NVLS: a GPU is a head once, and other NICs are tried for it
  bool alternates_nics = true;       // up to 2.22: crossing NICs, every second channel goes back
  bool counts_gpu_hops = false;      // from a GPU's memory to its links is a hop, too
  bool shuns_crossing = false;       // a solution that crosses NICs must be 15 % better
};

// As src/graph/search.cc of the version's tag does it, from 2.18 on.
SearchRules search_rules(const NcclVersion& version);

// The GB/s that a channel may have, falling: by compute capability of the oldest GPU (80: 8.0),
// within nodes or between them.
std::span<const float> candidate_speeds(const NcclVersion& version, int sm, bool multi_node);

}  // namespace linerate::topo
