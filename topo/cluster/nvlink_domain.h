// Hosts that one NVLink domain joins (MNNVL): NCCL makes one system of them.
#pragma once

#include "base/result.h"
#include "topo/system/system.h"

namespace linerate::topo {

inline constexpr int kMaxDomainHosts = 144;  // NVIDIA's largest domains have 576 GPUs

// `hosts` copies of a host, told apart by host_hash (1, 2, ...), with the same bus ids, names and
// numbers on each; ranks run through all hosts. REQUIRES: 0 < hosts.
System copies_of_host(const System& host, int hosts);

// The same; a sentence where the system has several hosts already, or GPUs whose NVLinks lead to no
// switch, which alone joins hosts.
Result<System> in_one_domain(const System& host, int hosts);

}  // namespace linerate::topo
