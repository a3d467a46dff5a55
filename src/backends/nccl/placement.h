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
};

// Collective over `members`: the GPUs of all ranks, in rank order.
std::vector<GpuOfRank> gather_gpus(Bootstrap& members, std::span<Device* const> local,
                                   const Deadline& deadline);

// A sentence with the map of ranks to GPUs where two ranks have the same one; empty where each has
// its own.
std::string shared_gpu_sentence(std::span<const GpuOfRank> gpus);

}  // namespace linerate::nccl
