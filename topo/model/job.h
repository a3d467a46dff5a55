// What NCCL's model knows of a job: its ranks, GPUs, processors and channels, from those of its
// nodes.
#pragma once

#include "topo/model/constants.h"
#include "topo/search/channels.h"
#include "topo/version.h"

#include <array>
#include <cstdint>
#include <span>

namespace linerate::topo {

// Processors of the job as the model tells them apart.
enum class CpuKind : std::uint8_t { intel, amd, mixed, power, other };

struct JobShape {
  NcclVersion version{};
  int nranks = 1, nnodes = 1;
  int max_local_ranks = 0;     // of one node; 0: all nodes have as many
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
  double max_ranks_of_a_node() const {
    return max_local_ranks > 0 ? max_local_ranks : ranks_per_node();
  }
  const ChannelSet& of(Algorithm algorithm) const { return channels[index_of(algorithm)]; }
};

// A job with a rank on each GPU of its nodes.
struct JobOptions {
  int nnodes = 1;
  bool collnet = false;  // NCCL_COLLNET_ENABLE
  bool nvls = true;      // NCCL_NVLS_ENABLE
  int cross_nic = 2;     // NCCL_CROSS_NIC
  int min_ctas = 1, max_ctas = 64;
};

// What the ranks of a node tell all others before NCCL chooses anything.
struct NodeFacts {
  NcclVersion version{};
  int gpus = 1, nets = 0;  // of the node; NIC ports
  int min_sm = 0, max_sm = 0;
  CpuKind cpu = CpuKind::intel;
  bool nvswitch = false;
  int collnet_heads = 0;
  NodeChannels channels{};
};

// Searches the node's channels, of a job of one node or of several: how many does not matter.
// Milliseconds. REQUIRES: the graph has a GPU.
NodeFacts facts_of(const Graph& graph, const JobOptions& options);

// The channels that an algorithm runs on.
const ChannelSet& channels_of(const NodeChannels& found, Algorithm algorithm);

struct IdenticalNodes {
  const NodeFacts* facts = nullptr;
  int count = 1;
};

// A job over nodes of one kind or several, the first rank's first: the fewest channels, the lowest
// speeds and the farthest path types of any (src/init.cc of NCCL, initTransportsRank, behind its
// third all-gather). Numbers of GPUs may differ; NCCL then reckons with their average.
// REQUIRES: nodes are there, all of one version; facts for several nodes where there are several.
JobShape job_of(std::span<const IdenticalNodes> nodes, const JobOptions& options);

// Nodes that are all alike. Searches their channels. REQUIRES: the graph has a GPU.
JobShape job_of(const Graph& graph, const JobOptions& options);

}  // namespace linerate::topo
