#include "topo/search/candidate_graph.h"

#include <cmath>
#include <utility>

namespace linerate::topo {
namespace {

float intra_sum(const CandidateGraph& candidate) {
  return static_cast<float>(candidate.n) * candidate.intra_gbps;
}
float inter_sum(const CandidateGraph& candidate) {
  return static_cast<float>(candidate.n) * candidate.inter_gbps;
}

// As it was written: 2.4, not what 2.4F is.
double written(float gbps) {
  constexpr double kSteps = 1000;
  return std::round(gbps * kSteps) / kSteps;
}

bool improves_heads(const SearchTopology& topology, const CandidateGraph& found,
                    const CandidateGraph& best) {
  return (found.n > best.n && found.n <= topology.gpus()) || inter_sum(found) > inter_sum(best);
}

}  // namespace

bool CandidateGraph::is_tree() const {
  return pattern == Pattern::balanced_tree || pattern == Pattern::split_tree ||
         pattern == Pattern::tree;
}

bool CandidateGraph::has_heads() const {
  return pattern == Pattern::nvls || pattern == Pattern::collnet_direct;
}

bool improves(const SearchTopology& topology, const CandidateGraph& found,
              const CandidateGraph& best) {
  constexpr float kBonus = 0.15F;
  if (found.n < found.min_channels) return false;
  if (found.pattern == Pattern::nvls) return improves_heads(topology, found, best);
  float target = intra_sum(best);
  if (topology.rules().shuns_crossing)
    target *= 1 - static_cast<float>(best.cross_nic - found.cross_nic) * kBonus;
  if (intra_sum(found) != target) return intra_sum(found) > target;
  return found.pattern == best.pattern && found.cross_nic == best.cross_nic &&
         found.hops < best.hops;
}

ChannelSet finished(const SearchTopology& topology, const CandidateGraph& candidate) {
  const auto& version = topology.graph().version();
  ChannelSet set{.pattern = candidate.pattern,
                 .intra_gbps = written(candidate.intra_gbps),
                 .inter_gbps = written(candidate.inter_gbps),
                 .inter_latency_us = candidate.latency_us,
                 .intra_type = type_at(candidate.intra_type, version),
                 .inter_type = type_at(candidate.inter_type, version),
                 .same_channels = candidate.same_channels,
                 .cross_nic = candidate.cross_nic};
  const auto port = [&](int net) {
    return net < 0 ? -1 : topology.node_of(topology.net_vertex(net));
  };
  for (int c = 0; c < candidate.n; ++c) {
    Channel channel = candidate.channel(c);
    if (candidate.pattern == Pattern::nvls) channel.gpus.resize(1);
    for (int& gpu : channel.gpus) gpu = topology.node_of(gpu);
    channel.net_in = port(channel.net_in);
    channel.net_out = port(channel.net_out);
    set.channels.push_back(std::move(channel));
  }
  return set;
}

}  // namespace linerate::topo
