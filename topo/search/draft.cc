// See draft.h.
#include "topo/search/draft.h"

#include <cmath>
#include <utility>

namespace linerate::topo {
namespace {

float intra_sum(const Draft& draft) { return static_cast<float>(draft.n) * draft.intra_gbps; }
float inter_sum(const Draft& draft) { return static_cast<float>(draft.n) * draft.inter_gbps; }

// As it was written: 2.4, not what 2.4F is.
double written(float gbps) {
  constexpr double kSteps = 1000;
  return std::round(gbps * kSteps) / kSteps;
}

bool improves_heads(const Ground& ground, const Draft& found, const Draft& best) {
  return (found.n > best.n && found.n <= ground.gpus()) || inter_sum(found) > inter_sum(best);
}

}  // namespace

bool Draft::is_tree() const {
  return pattern == Pattern::balanced_tree || pattern == Pattern::split_tree ||
         pattern == Pattern::tree;
}

bool Draft::has_heads() const {
  return pattern == Pattern::nvls || pattern == Pattern::collnet_direct;
}

bool improves(const Ground& ground, const Draft& found, const Draft& best) {
  constexpr float kBonus = 0.15F;
  if (found.n < found.min_channels) return false;
  if (found.pattern == Pattern::nvls) return improves_heads(ground, found, best);
  float target = intra_sum(best);
  if (ground.rules().shuns_crossing)
    target *= 1 - static_cast<float>(best.cross_nic - found.cross_nic) * kBonus;
  if (intra_sum(found) != target) return intra_sum(found) > target;
  return found.pattern == best.pattern && found.cross_nic == best.cross_nic &&
         found.hops < best.hops;
}

ChannelSet finished(const Ground& ground, const Draft& draft) {
  const auto& version = ground.graph().version();
  ChannelSet set{.pattern = draft.pattern,
                 .intra_gbps = written(draft.intra_gbps),
                 .inter_gbps = written(draft.inter_gbps),
                 .inter_latency_us = draft.latency_us,
                 .intra_type = type_at(draft.intra_type, version),
                 .inter_type = type_at(draft.inter_type, version),
                 .same_channels = draft.same_channels,
                 .cross_nic = draft.cross_nic};
  const auto port = [&](int net) { return net < 0 ? -1 : ground.node_of(ground.net_spot(net)); };
  for (int c = 0; c < draft.n; ++c) {
    Channel channel = draft.channel(c);
    if (draft.pattern == Pattern::nvls) channel.gpus.resize(1);
    for (int& gpu : channel.gpus) gpu = ground.node_of(gpu);
    channel.net_in = port(channel.net_in);
    channel.net_out = port(channel.net_out);
    set.channels.push_back(std::move(channel));
  }
  return set;
}

}  // namespace linerate::topo
