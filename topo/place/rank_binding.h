// Where the ranks of a node sit: a GPU, cores and NICs for each; and the cores that there are.
#pragma once

#include "topo/detect/sysfs.h"
#include "topo/graph/paths.h"
#include "topo/system/system.h"

#include <cstdint>
#include <string>
#include <vector>

namespace linerate::topo {

// One physical core that may be used; where nobody tells cores, a hardware thread counts as one.
struct Core {
  ThreadSet threads{};  // those that may be used
  int logical = -1;     // hwloc's number among the cores of its host; -1: not known
};

// The cores of one memory node.
struct NumaCores {
  int numa = 0;
  std::uint64_t host_hash = 0;
  std::vector<Core> cores{};
  bool known = false;  // cores were told; else hardware threads
};

// Those of every memory node in the system's order, without what the system says that this process
// may not use. Where cores are not told, threads come in an order in which equal shares keep those
// of a core together on Linux: numbered one after the other, or the second ones behind all first.
std::vector<NumaCores> cores_of(const System& system);

// The cores of `all` in `n` parts of one after the other, the first ones larger by one core where
// they do not divide; one core for several parts where there are fewer. REQUIRES: n > 0.
std::vector<std::vector<Core>> shares(const std::vector<Core>& all, int n);

// All threads of them.
ThreadSet threads_of(const std::vector<Core>& cores);

struct NearNic {
  std::string name{};
  PathType type =
      PathType::dis;  // from the binding's GPU, or its processor where there are no GPUs
};

// Of one rank of a node.
struct RankBinding {
  int host = 0;       // of the node; others than 0 in racks that one NVLink domain joins
  int node = -1;      // of its GPU in the graph; -1: there are no GPUs
  int dev = -1;       // number of its GPU on the host, in the order of the PCI bus; -1: no GPU
  std::string gpu{};  // "GPU3"
  std::vector<int> numas{};  // memory nodes that its cores belong to
  std::vector<Core> cores{};
  std::vector<NearNic> nics{};
};

struct RankBindings {
  std::vector<RankBinding> all{};  // in the order of the ranks
  bool knows_cores = true;         // else each hardware thread counts as a core
  int numa_nodes = 0;              // with usable cores, of the hosts with a rank
};

// How many ranks a node can take: one for each GPU, or for each core where there are no GPUs.
int max_ranks(const Graph& graph);

// One rank for each GPU, host by host in the order of the PCI bus, with an even share of the cores
// of the GPU's memory node (or of its host's first one, where it has none that are usable) and the
// NICs that NCCL gives the GPU: the nearest, dealt out in turn where several GPUs are equally near.
// Without GPUs ranks are spread over memory nodes in proportion to their cores, and NICs of a
// memory node are dealt out in turn. REQUIRES: 0 < n <= max_ranks(graph).
RankBindings bind_ranks(const Graph& graph, int n);

}  // namespace linerate::topo
