// What topology files made by hand leave to be found out.
#pragma once

#include "topo/system/system.h"

#include <cstddef>

namespace linerate::topo {

// No source tells more sentences of this kind than that.
inline constexpr std::size_t kMostUnseen = 100;

// Makes GPUs and NICs of the PCI devices that are such by class but say no more, as NCCL does on
// the machine itself, and says so in `unseen`. They are numbered in the order of their bus ids, as
// NVML numbers GPUs, behind those of their host that have a number. GPUDirect RDMA is taken for
// granted; the compute capability is told by the device id where that is known.
void complete_hand_made(System& system);

}  // namespace linerate::topo
