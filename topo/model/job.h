// What NCCL's model knows of a job: its ranks, GPUs, processors and channels, from those of its
// nodes.
#pragma once

#include "topo/model/constants.h"
#include "topo/model/tuner_settings.h"
#include "topo/search/channels.h"
#include "topo/version.h"

#include <cstdint>
#include <span>

namespace linerate::topo {

// Processors of the job as the model tells them apart.
enum class CpuKind : std::uint8_t { intel, amd, mixed, power, other };

// The channels that an algorithm runs on.
const ChannelSet& channels_of(const NodeChannels& found, Algorithm algorithm);

// What the ranks of a node tell all others before NCCL chooses anything.
struct NodeFacts {
  NcclVersion version{};
  int gpus = 1;                // of the node
  int min_sm = 0, max_sm = 0;  // of the GPUs
  CpuKind cpu = CpuKind::intel;
  bool nvswitch = false;   // GPUs are joined by NVSwitches
  double nvlink_gbps = 0;  // of all NVLinks of the GPU that has least
  NodeChannels channels{};
  TunerSettings asked{};  // of all nodes

  const ChannelSet& of(Algorithm algorithm) const { return channels_of(channels, algorithm); }
  bool nvls() const { return nvswitch && channels.nvls.nchannels() > 0; }
};

// What all nodes of a job can do; `gpus` are those of the node that has most.
struct JobShape : NodeFacts {
  int nranks = 1, nnodes = 1;

  double ranks_per_node() const { return static_cast<double>(nranks) / nnodes; }
};

// Searches the node's channels, of a job of one node or of several: how many does not matter.
// Milliseconds. REQUIRES: the graph has a GPU.
NodeFacts facts_of(const Graph& graph, bool multi_node, const TunerSettings& asked = {});

struct IdenticalNodes {
  const NodeFacts* facts = nullptr;
  int count = 1;
};

// A job over nodes of one kind or several, the first rank's first, with a rank on each GPU: the
// fewest channels, the lowest speeds and the farthest path types of any (src/init.cc of NCCL,
// initTransportsRank, behind its third all-gather). Numbers of GPUs may differ; NCCL then reckons
// with their average. REQUIRES: nodes are there, all of one version; facts for several nodes where
// there are several.
JobShape job_of(std::span<const IdenticalNodes> nodes);

// Nodes that are all alike. Searches their channels. REQUIRES: the graph has a GPU.
JobShape job_of(const Graph& graph, int nnodes, const TunerSettings& asked = {});

}  // namespace linerate::topo
