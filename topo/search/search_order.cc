#include "topo/search/search_order.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace linerate::topo {

// Facts from ncclTopoSearchNextGpuSort in NCCL's src/graph/search.cc.

// What is free of a GPU's PCI link in its tighter direction; -1: it has none.
int GpuOrder::pci_left(int gpu) const {
  if (topology_.pci_link(gpu) < 0) return -1;
  return static_cast<int>(
      std::min(load_.free(topology_.pci_link(gpu)), load_.free(topology_.pci_back_link(gpu))));
}

void GpuOrder::add_near_first(std::vector<int>& order, int gpu,
                              const CandidateGraph& candidate) const {
  const auto firsts = order.size();
  for (const auto& next : topology_.next_gpus(gpu))
    if (is_free(next.gpu, candidate.n) && candidate.allows(*next.path) &&
        std::ranges::count(std::span(order).first(firsts), next.gpu) == 0)
      order.push_back(next.gpu);
}

// By how good they are towards the NIC, in whole GB/s as NCCL compares them, then from the GPU
// before. Where all GPUs are equal but for the NIC, those far from it come first until it is
// needed.
void GpuOrder::add_by_nic(std::vector<int>& order, int gpu, NicNeed need,
                          const CandidateGraph& candidate) const {
  const int nic = topology_.net_vertex(candidate.channel(candidate.n).net_in);
  const auto& next_gpus = topology_.next_gpus(gpu);
  // Less is better: GB/s from the NIC, GB/s left of the GPU's PCI link, both negative, hops from
  // the NIC, place among the next GPUs; then the GPU.
  std::vector<std::tuple<int, int, int, int, int>> ranked;
  ranked.reserve(next_gpus.size());
  const NextGpu* nearest = nullptr;
  bool equal = true;
  for (int place = 0; place < std::ssize(next_gpus); ++place) {
    const NextGpu& next = next_gpus[static_cast<std::size_t>(place)];
    if (!is_free(next.gpu, candidate.n)) continue;
    if (nearest == nullptr) nearest = &next;
    equal = equal && next.is_as_near_as(*nearest);
    if (!candidate.allows(*next.path) || std::ranges::count(order, next.gpu) > 0) continue;
    const SearchPath& from_nic = topology_.path(nic, next.gpu);
    ranked.emplace_back(-static_cast<int>(from_nic.gbps), -pci_left(next.gpu),
                        static_cast<int>(from_nic.hops.size()), place, next.gpu);
  }
  std::ranges::sort(ranked);
  if (need == NicNeed::later && equal) std::ranges::reverse(ranked);
  for (const auto& entry : ranked) order.push_back(std::get<4>(entry));
}

// The switch prefers few partners: rings try the GPU before by number, trees the one behind it.
std::vector<int> GpuOrder::neighbours(int gpu, const CandidateGraph& candidate) const {
  const int n = topology_.gpus();
  const int before = (gpu - 1 + n) % n, behind = (gpu + 1) % n;
  std::vector<int> order{behind};
  if (candidate.pattern == Pattern::ring)
    order = {before, behind};
  else if (candidate.pattern == Pattern::balanced_tree)
    order = {behind, before};
  if (before == behind) order = {behind};
  std::erase_if(order, [&](int next) {
    return next == gpu || topology_.path(gpu, next).hops.empty() || !is_free(next, candidate.n);
  });
  return order;
}

std::vector<int> GpuOrder::after(int gpu, NicNeed need, const CandidateGraph& candidate) const {
  const auto rule = topology_.rules().switch_order;
  std::vector<int> order;
  if (topology_.has_switch() && rule != SwitchOrder::any) {
    order = neighbours(gpu, candidate);
    if (rule == SwitchOrder::neighbours_only) return order;
  }
  if (need == NicNeed::none)
    add_near_first(order, gpu, candidate);
  else
    add_by_nic(order, gpu, need, candidate);
  return order;
}

// Facts from ncclTopoSelectNets in NCCL's src/graph/search.cc.

const std::vector<int>& NetChoice::nets(int farthest_type, int gpu) {
  const auto [row, is_new] = known_.try_emplace({farthest_type, gpu});
  auto& nets = row->second;
  if (!is_new) return nets;
  const auto add = [&](int net) {  // where it comes first
    if (std::ranges::count(nets, net) == 0) nets.push_back(net);
  };
  const int first = gpu == -1 ? 0 : gpu, last = gpu == -1 ? topology_.gpus() - 1 : gpu;
  // GPU by GPU; where several hosts make one node, the first port of all GPUs, then the second.
  const bool port_by_port = topology_.hosts() > 1 && topology_.rules().gpus_first;
  for (int g = first; g <= last && !port_by_port; ++g)
    std::ranges::for_each(topology_.local_nets_of(g), add);
  for (std::size_t turn = 0, most = 1; turn < most && port_by_port; ++turn)
    for (int g = first; g <= last; ++g) {
      const auto& turns = topology_.local_nets_of(g);
      most = std::max(most, turns.size());
      if (turn < turns.size()) add(turns[turn]);
    }
  for (int type = 0; type <= farthest_type; ++type)
    for (int g = first; g <= last; ++g)
      for (int net = 0; net < topology_.nets(); ++net)
        if (topology_.path(g, topology_.net_vertex(net)).type == type) add(net);
  return nets;
}

bool NetChoice::may_end(const CandidateGraph& candidate, int net, int step) const {
  const Channel& channel = candidate.channel(candidate.n);
  if (candidate.pattern == Pattern::tree && net != channel.net_in) return false;
  if (crosses_too_much(candidate, net)) return false;
  return candidate.pattern != Pattern::balanced_tree || step == 0 || net == channel.net_out;
}

// Crossing NICs, every second ring goes back the way of the one before it.
bool NetChoice::crosses_too_much(const CandidateGraph& candidate, int net) const {
  const bool same = topology_.same_port(net, candidate.channel(candidate.n).net_in);
  const bool is_odd = candidate.n % 2 != 0;
  const auto goes_back = [&] {
    return !is_odd || net == candidate.channel(candidate.n - 1).net_in;
  };
  if (!topology_.rules().pairs_rings)
    return (candidate.cross_nic != 1 && !same) ||
           (candidate.cross_nic != 0 && topology_.rules().alternates_nics && !goes_back());
  if (candidate.pattern == Pattern::ring && candidate.cross_nic == 2) return !goes_back();
  return candidate.cross_nic == 0 && !same;
}

}  // namespace linerate::topo
