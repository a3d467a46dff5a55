#include "topo/search/candidate_graph.h"

#include "topo/search/search_topology.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

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

// It counts as followPath in NCCL's src/graph/search.cc does, in its precision.

LinkLoad::Share LinkLoad::share_of(const SearchPath& path, const SearchHop& hop, float gbps) {
  const bool inflated = hop.pci && path.inflates_pci;  // smaller packets than Intel's own
  const float forth = inflated ? gbps * 6 / 5 : gbps;
  return {.forth = forth, .back = forth * hop.back_share};
}

bool LinkLoad::has(const SearchHop& hop, const Share& share) const {
  return free(hop.link) >= share.forth && (hop.back_link < 0 || free(hop.back_link) >= share.back);
}

bool LinkLoad::can_take(const SearchPath& path, float gbps) const {
  return std::ranges::all_of(
      path.hops, [&](const SearchHop& hop) { return has(hop, share_of(path, hop, gbps)); });
}

bool LinkLoad::take(const SearchPath& path, float gbps) {
  const std::size_t moved = move(path, gbps, path.hops.size());
  if (moved == path.hops.size()) return true;
  move(path, -gbps, moved);
  return false;
}

// Legs done, before the first one that has too little left.
std::size_t LinkLoad::move(const SearchPath& path, float gbps, std::size_t hops) {
  for (std::size_t i = 0; i < hops; ++i) {
    const SearchHop& hop = path.hops[i];
    const Share share = share_of(path, hop, gbps);
    if (!has(hop, share)) return i;
    float& link = free_[static_cast<std::size_t>(hop.link)];
    link = rounded_gbps(link - share.forth);
    if (hop.back_link < 0) continue;
    float& back_link = free_[static_cast<std::size_t>(hop.back_link)];
    back_link = rounded_gbps(back_link - share.back);
  }
  return hops;
}

// GPUs that paths join, in either direction: those from the first GPU on.
bool connects_all_gpus(const SearchTopology& topology, const CandidateGraph& candidate) {
  assert(!candidate.has_heads());
  const LinkLoad idle(topology);
  const auto has_path = [&](int from, int to) {
    const SearchPath& path = topology.path(from, to);
    return candidate.allows(path) && idle.can_take(path, candidate.intra_gbps);
  };
  std::vector<char> reached(static_cast<std::size_t>(topology.gpus()), 0);
  std::vector<int> found{0};
  reached[0] = 1;
  for (std::size_t i = 0; i < found.size(); ++i)
    for (int gpu = 0; gpu < topology.gpus(); ++gpu) {
      char& known = reached[static_cast<std::size_t>(gpu)];
      if (known != 0 || !(has_path(found[i], gpu) || has_path(gpu, found[i]))) continue;
      known = 1;
      found.push_back(gpu);
    }
  if (std::ssize(found) < topology.gpus()) return false;
  if (!topology.multi_node()) return true;
  for (int net = 0; net < topology.nets(); ++net)
    for (int gpu = 0; gpu < topology.gpus(); ++gpu)
      if (idle.can_take(topology.path(topology.net_vertex(net), gpu), candidate.inter_gbps))
        return true;
  return false;
}

}  // namespace linerate::topo
