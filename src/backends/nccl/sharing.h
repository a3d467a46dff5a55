// Several ranks on one GPU (--oversubscribe): what NCCL of each version needs for it.
#pragma once

#include "backends/nccl/nccl_api.h"
#include "backends/nccl/placement.h"
#include "comm/gpu_options.h"

namespace linerate::nccl {

// Which ranks may share a GPU with this library.
Sharing sharing_of(const NcclApi& api, const GpuOptions& options);

// Sets the variables that NCCL reads for it at its first call, unless the user has set them:
// NCCL_MULTI_RANK_GPU_ENABLE from 2.30, and before it a NCCL_HOSTID that no other process has, so
// that each is a node to NCCL; the ranks of one process share it. REQUIRES: before NCCL's first
// call, and no other thread reads the environment meanwhile. Plugins do it in make_backend(), where
// no thread of a rank or of the watch runs yet; under an MPI launcher MPI's own do, after MPI_Init
// has read what it wants. (From glibc 2.41 on readers would bear it too.)
void allow_sharing(const NcclApi& api, const GpuOptions& options);

}  // namespace linerate::nccl
