// Which GPU each rank has, agreed on before NCCL is asked, and several ranks on one GPU
// (--oversubscribe): what NCCL of each version needs for it.
#pragma once

#include "backends/nccl/nccl_api.h"
#include "comm/bootstrap.h"
#include "comm/device.h"
#include "comm/gpu_options.h"
#include "devices/cuda/cuda_api.h"

#include <span>
#include <string>
#include <vector>

namespace linerate::nccl {

// One rank's GPU.
struct GpuOfRank {
  int rank = 0;
  std::string hostname{};
  std::string node{};    // identity: hostnames lie
  std::string bus_id{};  // of the GPU
  int index = 0;         // as its process counts
  int pid = 0;
  int sm = 0;  // compute capability: 90 of sm_90
};

// Collective over `bootstrap`: the GPUs of all ranks, in rank order.
std::vector<GpuOfRank> gather_gpus(Bootstrap& bootstrap, std::span<Device* const> local,
                                   const cuda::CudaApi& cuda, const Deadline& deadline);

// Which ranks may have the same GPU.
enum class Sharing {
  none,
  processes,  // ranks of different processes
  all,
};

// A sentence with the map of ranks to GPUs where two ranks have the same one and may not; empty
// where all is well.
std::string sharing_refusal(std::span<const GpuOfRank> gpus, Sharing allowed);

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
