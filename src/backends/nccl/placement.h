// Which GPU each rank has, agreed on before NCCL is asked.
#pragma once

#include "comm/bootstrap.h"
#include "comm/device.h"

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
};

// Collective over `members`: the GPUs of all ranks, in rank order.
std::vector<GpuOfRank> gather_gpus(Bootstrap& members, std::span<Device* const> local,
                                   const Deadline& deadline);

// Which ranks may have the same GPU.
enum class Sharing {
  none,
  processes,  // ranks of different processes
  all,
};

// A sentence with the map of ranks to GPUs where two ranks have the same one and may not; empty
// where all is well.
std::string sharing_refusal(std::span<const GpuOfRank> gpus, Sharing allowed);

}  // namespace linerate::nccl
