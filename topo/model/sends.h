// How fast collectives can be at most that NCCL makes of sends.
#pragma once

#include "collectives/collective.h"
#include "topo/model/constants.h"
#include "topo/model/send_routes.h"
#include "topo/model/send_steps.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linerate::topo {

struct SendBound {
  double time_us = 0;
  double algbw_gbps = 0, busbw_gbps = 0;
  std::string bound_by{};  // "NIC mlx5_0", "NVLinks of GPU0"; "latency" where that takes longer
};

// What one step of a collective takes.
struct SendCost {
  double latency_us = 0;
  double us_per_byte = 0;  // of the row, on the busiest link
  std::string bound_by{};  // that link
};

// Of one collective on so many ranks: its steps, one after the other.
struct SendCosts {
  const Collective* what = nullptr;
  int nranks = 2;
  std::vector<SendCost> steps{};

  // `bytes` as nccl-tests counts: the larger of the send and the receive buffer. Nothing where
  // there are none.
  std::optional<SendBound> at(std::size_t bytes) const;
};

// NCCL has no model of sends: this is what their bytes take on the busiest link, at the bandwidths
// that NCCL counts, and one step of its own model, base and hardware latency of Ring/LL, for each
// step of the collective. Real runs stay below it: sends do not share links evenly, and each rank
// starts many. Public runs: 370 GB/s of NVLink on an H100 (NVIDIA/nccl-tests issue 212), 48 to 49
// of a 400 Gb/s NIC (issue 267).
class SendModel {
 public:
  // Nodes that are all alike, with a rank on each GPU. Milliseconds.
  SendModel(const Graph& graph, int nnodes);

  const Graph& graph() const { return graph_; }
  const SendRoutes& routes() const { return routes_; }
  const RankGrid& ranks() const { return ranks_; }

  // Slow: once for all sizes. Nothing for other collectives, and where a rank is out of another
  // one's reach.
  std::optional<SendCosts> costs(const Collective& what) const;
  // Of one size.
  std::optional<SendBound> bound(const Collective& what, std::size_t bytes) const;
  // Of one size of all_to_all_v: what the node takes that is busiest. Nothing where copies may take
  // longer than that (keeps_most()). REQUIRES: sizing.traffic, of ranks().nranks() ranks.
  std::optional<SendBound> bound_of_traffic(const Collective& what, const Sizing& sizing) const;

 private:
  std::optional<SendCost> cost(const SendStep& step) const;
  Hardware slowest_hardware(const SendStep& step) const;
  std::string words_of(const Hop& hop) const;

  Graph graph_;
  RankGrid ranks_;
  SendRoutes routes_;
};

}  // namespace linerate::topo
