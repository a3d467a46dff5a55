// See traffic_steps.h.
#include "topo/model/traffic_steps.h"

#include "collectives/traffic.h"

#include <algorithm>
#include <cassert>

namespace linerate::topo {
namespace {

class NodeTraffic {
 public:
  NodeTraffic(const Sizing& sizing, const RankGrid& ranks) : sizing_(sizing), ranks_(ranks) {}

  SendStep of(int node) const {
    SendStep step(ranks_.gpus);
    const int first = node * ranks_.gpus;
    for (int gpu = 0; gpu < ranks_.gpus; ++gpu)
      for (int other = 0; other < ranks_.nranks(); ++other) {
        const int peer = other % ranks_.gpus;
        const bool inside = other / ranks_.gpus == node;
        if (other == first + gpu) continue;
        if (inside) {
          step.inside(gpu, peer) += bytes(first + gpu, other);
        } else {
          step.out(gpu, peer) += bytes(first + gpu, other);
          step.in(peer, gpu) += bytes(other, first + gpu);
        }
      }
    return step;
  }

 private:
  double bytes(int from, int to) const {
    return static_cast<double>(sizing_.traffic->elements(sizing_, from, to) *
                               bytes_of(sizing_.type));
  }

  const Sizing& sizing_;
  const RankGrid& ranks_;
};

}  // namespace

std::vector<SendStep> traffic_steps(const Sizing& sizing, const RankGrid& ranks) {
  assert(sizing.traffic != nullptr && sizing.nranks == ranks.nranks());
  const NodeTraffic traffic(sizing, ranks);
  const int nodes = sizing.traffic->fixed() ? ranks.nnodes : 1;
  std::vector<SendStep> steps;
  for (int node = 0; node < nodes; ++node) steps.push_back(traffic.of(node));
  return steps;
}

bool keeps_most(const Sizing& sizing) {
  assert(sizing.traffic != nullptr);
  const auto& traffic = *sizing.traffic;
  const int ranks = traffic.fixed() ? sizing.nranks : 1;  // of weighted traffic all keep as much
  std::size_t kept = 0, crossing = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto own = traffic.elements(sizing, rank, rank);
    const auto most = std::max(traffic.sent(sizing, rank), traffic.received(sizing, rank));
    kept = std::max(kept, own);
    crossing = std::max(crossing, most - own);
  }
  return kept > crossing;
}

}  // namespace linerate::topo
