// See net_choice.h. Facts from ncclTopoSelectNets in NCCL's src/graph/search.cc.
#include "topo/search/net_choice.h"

#include "topo/graph/locality.h"

#include <algorithm>

namespace linerate::topo {
namespace {

void append_new(std::vector<int>& nets, int net) {
  if (std::ranges::count(nets, net) == 0) nets.push_back(net);
}

}  // namespace

// The ports of one GPU for channel 0, 1, ... until the first one comes again.
std::vector<int> NetChoice::turns_of(int gpu) const {
  std::vector<int> turns;
  for (int channel = 0; channel < ground_.rules().max_channels; ++channel) {
    const int node = local_net(ground_.graph(), ground_.paths(), ground_.node_of(gpu), channel);
    if (node < 0) break;
    const int net = ground_.graph().node(node).index;
    if (!turns.empty() && net == turns.front()) break;
    turns.push_back(net);
  }
  return turns;
}

// GPU by GPU; where several hosts make one node, the first port of all GPUs, then the second.
std::vector<int> NetChoice::preferred(int gpu) const {
  std::vector<std::vector<int>> turns;
  for (int g = 0; g < ground_.gpus(); ++g)
    if (gpu == -1 || gpu == g) turns.push_back(turns_of(g));
  std::vector<int> nets;
  const bool port_by_port = ground_.hosts() > 1 && ground_.rules().gpus_first;
  if (!port_by_port) {
    for (const auto& of_gpu : turns)
      for (const int net : of_gpu) append_new(nets, net);
    return nets;
  }
  std::size_t most = 0;
  for (const auto& of_gpu : turns) most = std::max(most, of_gpu.size());
  for (std::size_t turn = 0; turn < most; ++turn)
    for (const auto& of_gpu : turns)
      if (turn < of_gpu.size()) append_new(nets, of_gpu[turn]);
  return nets;
}

const std::vector<int>& NetChoice::nets(int farthest_type, int gpu) {
  const auto [row, is_new] = known_.try_emplace({farthest_type, gpu});
  if (!is_new) return row->second;
  auto nets = preferred(gpu);
  for (int type = 0; type <= farthest_type; ++type)
    for (int g = 0; g < ground_.gpus(); ++g)
      for (int net = 0; (gpu == -1 || gpu == g) && net < ground_.nets(); ++net)
        if (ground_.way(g, ground_.net_spot(net)).type == type) append_new(nets, net);
  row->second = std::move(nets);
  return row->second;
}

bool NetChoice::may_end(const Draft& draft, int net, int step) const {
  const Channel& channel = draft.channel(draft.n);
  if (draft.pattern == Pattern::tree && net != channel.net_in) return false;
  if (crosses_too_much(draft, net)) return false;
  return draft.pattern != Pattern::balanced_tree || step == 0 || net == channel.net_out;
}

// Crossing NICs, every second ring goes back the way of the one before it.
bool NetChoice::crosses_too_much(const Draft& draft, int net) const {
  const bool same = ground_.same_port(net, draft.channel(draft.n).net_in);
  const bool is_odd = draft.n % 2 != 0;
  const auto goes_back = [&] { return !is_odd || net == draft.channel(draft.n - 1).net_in; };
  if (!ground_.rules().pairs_rings)
    return (draft.cross_nic != 1 && !same) ||
           (draft.cross_nic != 0 && ground_.rules().alternates_nics && !goes_back());
  if (draft.pattern == Pattern::ring && draft.cross_nic == 2) return !goes_back();
  return draft.cross_nic == 0 && !same;
}

}  // namespace linerate::topo
