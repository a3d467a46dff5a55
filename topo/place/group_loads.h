// All_reduces of the groups of a job: how long each takes, and what it takes of the links.
#pragma once

#include "topo/model/job.h"
#include "topo/place/load.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace linerate::topo {

// Asks NCCL's cost model. Channels are searched once for all groups whose GPUs stand alike.
class GroupLoads {
 public:
  explicit GroupLoads(const Graph& graph) : graph_(graph) {}

  // One all_reduce of a group that has these GPUs, nodes of the graph, on each of `nnodes` nodes:
  // the choice and time of NCCL's cost model, on a system of these GPUs alone. Taken is what the
  // channels of its algorithm are planned for. REQUIRES: two ranks at least.
  Load all_reduce(std::span<const int> gpus, int nnodes, std::size_t bytes);

  std::size_t searched() const { return searches_.size(); }

 private:
  struct Search {
    Search(const Graph& of, const JobOptions& options, std::vector<int> nodes);

    Graph graph;
    Paths paths;
    NodeFacts facts;
    std::vector<int> order;  // as Likeness has it
  };

  Graph graph_;
  std::map<std::pair<std::string, bool>, Search> searches_;  // by likeness; of several nodes
};

}  // namespace linerate::topo
