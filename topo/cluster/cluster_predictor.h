// What NCCL will do on the first nodes of a cluster, and how fast the cluster's network lets it.
#pragma once

#include "topo/cluster/fabric_traffic.h"
#include "topo/model/forecast.h"
#include "topo/model/job.h"
#include "topo/model/predict.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace linerate::topo {

// The kinds of node of a cluster as NCCL sees them, each searched once. Thread-compatible.
class ClusterNodes {
 public:
  explicit ClusterNodes(Cluster cluster, const NcclVersion& version = {},
                        const TunerSettings& asked = {});

  const Cluster& cluster() const { return cluster_; }
  // Why NCCL cannot run on the first nodes together, in a sentence; empty: it can.
  std::string unfit(int nnodes) const;
  bool nics_differ(int nnodes) const;  // in number, among the first nodes
  // REQUIRES: 1 <= nnodes <= cluster().nnodes(), and they are fit.
  JobShape job(int nnodes);
  // Of each of the first nodes; as long as this object lives. REQUIRES: as for job.
  std::vector<const NodeRails*> rails(int nnodes);
  FabricLinks links() const;

 private:
  struct Searched {
    NodeFacts facts{};
    NodeRails rails{};
  };
  struct Part {
    std::size_t kind = 0;
    int count = 1;
  };
  struct Kind {
    Graph graph;
    std::string topology{};
    std::vector<double> gbps_by_rail{};
    std::array<std::unique_ptr<Searched>, 2> searched{};  // for one node, and for several
  };
  std::vector<Part> first(int nnodes) const;  // groups, the last one cut where it reaches beyond
  const Searched& searched(std::size_t kind, bool multi_node);

  Cluster cluster_;
  TunerSettings asked_;
  std::vector<Kind> kinds_;
  std::vector<std::size_t> kind_of_group_;
};

struct ClusterPrediction {
  Prediction nccl{};                   // what NCCL's model says; it knows nothing of switches
  std::optional<Forecast> forecast{};  // what will be measured; nothing where NCCL finds no path
  CallParts parts{};                   // what it is made from
  std::string bound_by{};              // "NCCL model", or the link or latency that makes it slower
};

// One job on the first nodes. NCCL chooses as if there were no switches; the forecast then waits
// for what they need: bytes on the wire x us_per_byte of the narrowest link, and crossing_us.
// Refers to the nodes. Thread-compatible.
class ClusterPredictor {
 public:
  // REQUIRES: as ClusterNodes::job.
  ClusterPredictor(ClusterNodes& nodes, int nnodes);

  const Predictor& nccl() const { return predictor_; }
  // REQUIRES: bytes > 0.
  ClusterPrediction predict(Function function, std::size_t bytes, const Reduced& what = {});

 private:
  const FabricLoad& load(Function function, Algorithm algorithm);

  Predictor predictor_;
  FabricJob fabric_;
  FabricLinks links_;
  std::array<std::array<std::optional<FabricLoad>, kAlgorithms>, kFunctions> loads_{};
};

}  // namespace linerate::topo
