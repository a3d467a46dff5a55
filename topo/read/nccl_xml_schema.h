// Which elements an NCCL topology file may have, and what a file made by hand may leave out.
#pragma once

#include "topo/read/xml_file.h"
#include "topo/system/system.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::topo {

// A sentence for each attribute and element in `root` that is not read: each name once, at most
// 20, with its first line.
std::vector<std::string> unread_parts(const XmlFile& file, pugi::xml_node root);

// Bus ids, each with its host's hash.
using DevicesOfHosts = std::set<std::pair<std::uint64_t, BusId>>;

// In the sentences about such devices, which lose their truth where a platform completes them.
inline constexpr std::string_view kByClassOnly = " by PCI class only, ";

// No source tells more sentences of this kind than that.
inline constexpr std::size_t kMaxUnseen = 100;

// Makes GPUs and NICs of the PCI devices that are such by class but say no more, as NCCL does on
// the machine itself, and says so in `unseen`. They are numbered in the order of their bus ids, as
// NVML numbers GPUs, behind those of their host that have a number. GPUDirect RDMA is taken for
// granted; the compute capability is told by the device id where that is known.
// Devices in `listed` stay as they are: their files say that they have no ports.
void complete_hand_made(System& system, const DevicesOfHosts& listed);

}  // namespace linerate::topo
