// What each point-to-point collective sends, step by step, as shares of the row's bytes.
#include "collectives/traffic.h"
#include "topo/model/p2p_model.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace linerate::topo {
namespace {

// What the ranks of the first node, the root among them, send and get: what each rank must get by
// the collective's own account of its result, straight from the rank whose data it is.
P2pStep direct_sends(const Collective& what, const RankGrid& ranks, NodePeers peers) {
  P2pStep step(ranks.gpus, peers);
  Sizing sizing{.count = 1, .nranks = ranks.nranks()};
  const auto row = static_cast<double>(row_bytes(what, sizing, DataType::int8));
  const int receivers = what.rooted ? ranks.nranks() : ranks.gpus;
  for (sizing.rank = 0; sizing.rank < receivers; ++sizing.rank) {
    Oracle oracle({.rank = sizing.rank, .root = 0});
    what.expect(oracle, sizing);
    for (const auto& segment : oracle.segments()) {
      if (segment.source_rank == sizing.rank) continue;
      const int from = segment.source_rank % ranks.gpus, to = sizing.rank % ranks.gpus;
      const double part = static_cast<double>(segment.count) / row;
      if (sizing.rank >= ranks.gpus) {
        if (segment.source_rank < ranks.gpus) step.out(from, to) += part;
      } else if (segment.source_rank >= ranks.gpus) {
        step.in(from, to) += part;
        if (!what.rooted) step.out(from, to) += part;  // all nodes send alike
      } else {
        step.inside(from, to) += part;
      }
    }
  }
  return step;
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

struct PeersOf {
  std::string_view collective;
  NodePeers peers;
};

constexpr PeersOf kPeers[] = {{"all_to_all", NodePeers::all},
                              {"gather", NodePeers::first},
                              {"scatter", NodePeers::from_first},
                              {"sendrecv", NodePeers::next},
                              {"hypercube", NodePeers::partner}};

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
  return std::ranges::find(kPeers, what.name, &PeersOf::collective) != std::end(kPeers);
}

std::vector<std::string_view> p2p_collectives() {
  std::vector<std::string_view> names;
  for (const auto& row : kPeers) names.push_back(row.collective);
  return names;
}

std::optional<std::vector<P2pStep>> p2p_steps(const Collective& what, const RankGrid& ranks) {
  const auto* row = std::ranges::find(kPeers, what.name, &PeersOf::collective);
  if (row == std::end(kPeers) || ranks.nranks() < 2) return std::nullopt;
  if (what.refusal != nullptr && what.refusal(ranks.nranks())) return std::nullopt;
  if (row->peers == NodePeers::partner) return hypercube(ranks);
  return std::vector{direct_sends(what, ranks, row->peers)};
}

std::vector<P2pStep> all_to_all_v_steps(const Sizing& sizing, const RankGrid& ranks) {
  assert(sizing.traffic != nullptr && sizing.nranks == ranks.nranks());
  const auto bytes = [&](int from, int to) {
    return static_cast<double>(sizing.traffic->elements(sizing, from, to) * bytes_of(sizing.type));
  };
  const int nodes = sizing.traffic->fixed() ? ranks.nnodes : 1;
  std::vector<P2pStep> steps;
  for (int node = 0; node < nodes; ++node) {
    auto& step = steps.emplace_back(ranks.gpus);
    for (int gpu = 0; gpu < ranks.gpus; ++gpu)
      for (int other = 0; other < ranks.nranks(); ++other) {
        const int rank = node * ranks.gpus + gpu, peer = other % ranks.gpus;
        if (other / ranks.gpus != node) {
          step.out(gpu, peer) += bytes(rank, other);
          step.in(peer, gpu) += bytes(other, rank);
        } else if (other != rank) {
          step.inside(gpu, peer) += bytes(rank, other);
        }
      }
  }
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
