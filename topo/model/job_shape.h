// What NCCL's model knows of a job: its ranks, its GPUs and processors, and the channels found.
#pragma once

#include "topo/model/algorithm.h"
#include "topo/search/channels.h"
#include "topo/version.h"

#include <array>
#include <cstdint>

namespace linerate::topo {

// Processors of the job as the model tells them apart.
enum class CpuKind : std::uint8_t { intel, amd, mixed, power, other };

struct JobShape {
  NcclVersion version{};
  int nranks = 1, nnodes = 1;
  int most_local_ranks = 0;    // of one node; 0: all nodes have as many
  int min_sm = 0, max_sm = 0;  // of the GPUs
  CpuKind cpu = CpuKind::intel;
  bool nvswitch = false;                           // GPUs are joined by NVSwitches
  bool nvls = false;                               // and these multicast: sm90 and later
  bool collnet = false;                            // NICs with collectives are there and asked for
  int collnet_heads = 0;                           // NICs with collectives of a node
  std::array<ChannelSet, kAlgorithms> channels{};  // by Algorithm
  int coll_channels = 0;  // of the communicator: ring and tree, after doubling
  int nvls_channels = 16;

  double ranks_per_node() const { return static_cast<double>(nranks) / nnodes; }
  double most_ranks_of_a_node() const {
    return most_local_ranks > 0 ? most_local_ranks : ranks_per_node();
  }
  const ChannelSet& of(Algorithm algorithm) const { return channels[index_of(algorithm)]; }
};

}  // namespace linerate::topo
