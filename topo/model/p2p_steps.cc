// What each point-to-point collective sends, step by step, as shares of the row's bytes.
#include "collectives/traffic.h"
#include "topo/model/p2p_model.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace linerate::topo {
namespace {

std::vector<P2pStep> all_to_all(const RankGrid& ranks) {
  P2pStep step(ranks.gpus);
  const double part = 1.0 / ranks.nranks();
  for (int from = 0; from < ranks.gpus; ++from)
    for (int to = 0; to < ranks.gpus; ++to) {
      if (from != to) step.inside(from, to) = part;
      step.out(from, to) = step.in(from, to) = part * (ranks.nnodes - 1);
    }
  return {step};
}

// All of it arrives at the root's node.
std::vector<P2pStep> gather(const RankGrid& ranks) {
  P2pStep step(ranks.gpus, NodePeers::first);
  const double part = 1.0 / ranks.nranks();
  for (int from = 0; from < ranks.gpus; ++from) {
    if (from != 0) step.inside(from, 0) = part;
    step.in(from, 0) = part * (ranks.nnodes - 1);
  }
  return {step};
}

std::vector<P2pStep> scatter(const RankGrid& ranks) {
  P2pStep step(ranks.gpus, NodePeers::from_first);
  const double part = 1.0 / ranks.nranks();
  for (int to = 0; to < ranks.gpus; ++to) {
    if (to != 0) step.inside(0, to) = part;
    step.out(0, to) = part * (ranks.nnodes - 1);
  }
  return {step};
}

std::vector<P2pStep> sendrecv(const RankGrid& ranks) {
  P2pStep step(ranks.gpus, NodePeers::next);
  const int last = ranks.gpus - 1;
  for (int from = 0; from < last; ++from) step.inside(from, from + 1) = 1;
  if (ranks.nnodes > 1)
    step.out(last, 0) = step.in(last, 0) = 1;
  else if (last > 0)
    step.inside(last, 0) = 1;
  return {step};
}

// Partners are apart by powers of two: those within a node, whose GPUs are a power of two then, and
// those of one number on two nodes.
std::vector<P2pStep> hypercube(const RankGrid& ranks) {
  std::vector<P2pStep> steps;
  for (int width = 1; width < ranks.nranks(); width *= 2) {
    auto& step = steps.emplace_back(ranks.gpus, NodePeers::partner, width / ranks.gpus);
    const double part = static_cast<double>(width) / ranks.nranks();
    for (int from = 0; from < ranks.gpus; ++from)
      if (width < ranks.gpus)
        step.inside(from, from ^ width) = part;
      else
        step.out(from, from) = step.in(from, from) = part;
  }
  return steps;
}

struct Maker {
  std::string_view collective;
  std::vector<P2pStep> (*make)(const RankGrid&);
};

constexpr std::array kMakers{Maker{"all_to_all", all_to_all}, Maker{"gather", gather},
                             Maker{"scatter", scatter}, Maker{"sendrecv", sendrecv},
                             Maker{"hypercube", hypercube}};

}  // namespace

P2pStep::P2pStep(int gpus, NodePeers peers, int apart)
    : gpus_(gpus),
      peers_(peers),
      apart_(apart),
      inside_(at(gpus, 0)),
      out_(at(gpus, 0)),
      in_(at(gpus, 0)) {}

bool P2pStep::leaves_node() const {
  const auto moves = [](double bytes) { return bytes > 0; };
  return std::ranges::any_of(out_, moves) || std::ranges::any_of(in_, moves);
}

bool is_p2p_collective(const Collective& what) {
  return std::ranges::find(kMakers, what.name, &Maker::collective) != kMakers.end();
}

std::vector<std::string_view> p2p_collectives() {
  std::vector<std::string_view> names;
  for (const auto& maker : kMakers) names.push_back(maker.collective);
  return names;
}

std::optional<std::vector<P2pStep>> p2p_steps(const Collective& what, const RankGrid& ranks) {
  const auto maker = std::ranges::find(kMakers, what.name, &Maker::collective);
  if (maker == kMakers.end() || ranks.nranks() < 2) return std::nullopt;
  if (what.refusal != nullptr && what.refusal(ranks.nranks())) return std::nullopt;
  return maker->make(ranks);
}

namespace {

class NodeTraffic {
 public:
  NodeTraffic(const Sizing& sizing, const RankGrid& ranks) : sizing_(sizing), ranks_(ranks) {}

  P2pStep of(int node) const {
    P2pStep step(ranks_.gpus);
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

std::vector<P2pStep> all_to_all_v_steps(const Sizing& sizing, const RankGrid& ranks) {
  assert(sizing.traffic != nullptr && sizing.nranks == ranks.nranks());
  const NodeTraffic traffic(sizing, ranks);
  const int nodes = sizing.traffic->fixed() ? ranks.nnodes : 1;
  std::vector<P2pStep> steps;
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
