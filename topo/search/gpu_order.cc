// See gpu_order.h. Facts from ncclTopoSearchNextGpuSort in NCCL's src/graph/search.cc.
#include "topo/search/gpu_order.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace linerate::topo {

// Whole GB/s, as NCCL compares them. Most important first: towards the NIC, then from the GPU.
struct GpuOrder::Score {
  int gpu = 0;
  int nic_gbps = 0, nic_pci_gbps = 0, nic_hops = 0;
  int gbps = 0, hops = 0;
  int distance = 0;  // in numbers

  auto key() const { return std::tuple(-nic_gbps, -nic_pci_gbps, nic_hops, -gbps, hops, distance); }
};

bool GpuOrder::may_follow(int gpu, int next, int channel) const {
  return next != gpu && !ground_.way(gpu, next).legs.empty() &&
         (taken_[static_cast<std::size_t>(next)] & bit(channel)) == 0;
}

// What is free of a GPU's PCI link in its tighter direction; -1: it has none.
int GpuOrder::pci_left(int gpu) const {
  if (ground_.pci_link(gpu) < 0) return -1;
  return static_cast<int>(
      std::min(load_.free(ground_.pci_link(gpu)), load_.free(ground_.pci_back_link(gpu))));
}

std::vector<GpuOrder::Score> GpuOrder::scores(int gpu, NicNeed need, const Draft& draft) const {
  std::vector<Score> found;
  found.reserve(static_cast<std::size_t>(ground_.gpus()));
  for (int i = 1; i < ground_.gpus(); ++i) {
    const int next = (gpu + i) % ground_.gpus();
    if (!may_follow(gpu, next, draft.n)) continue;
    const Way& way = ground_.way(gpu, next);
    Score score{.gpu = next,
                .gbps = static_cast<int>(way.gbps),
                .hops = static_cast<int>(way.legs.size()),
                .distance = i};
    if (need != NicNeed::none) {
      const Way& from_nic = ground_.way(ground_.net_spot(draft.channel(draft.n).net_in), next);
      score.nic_gbps = static_cast<int>(from_nic.gbps);
      score.nic_hops = static_cast<int>(from_nic.legs.size());
      score.nic_pci_gbps = pci_left(next);
    }
    found.push_back(score);
  }
  return found;
}

// Where all GPUs are equal but for the NIC, those far from it come first until it is needed.
std::vector<int> GpuOrder::by_score(int gpu, NicNeed need, const Draft& draft) const {
  auto found = scores(gpu, need, draft);
  std::ranges::sort(found, {}, &Score::key);
  const bool equal = std::ranges::all_of(found, [&](const Score& score) {
    return score.gbps == found.front().gbps && score.hops == found.front().hops;
  });
  if (need == NicNeed::later && equal) std::ranges::reverse(found);
  std::vector<int> gpus;
  std::ranges::transform(found, std::back_inserter(gpus), &Score::gpu);
  return gpus;
}

// The switch prefers few partners: rings try the GPU before by number, trees the one behind it.
std::vector<int> GpuOrder::neighbours(int gpu, const Draft& draft) const {
  const int n = ground_.gpus();
  const int before = (gpu - 1 + n) % n, behind = (gpu + 1) % n;
  std::vector<int> order{behind};
  if (draft.pattern == Pattern::ring)
    order = {before, behind};
  else if (draft.pattern == Pattern::split_tree || draft.pattern == Pattern::balanced_tree)
    order = {behind, before};
  if (before == behind) order = {behind};
  std::erase_if(order, [&](int next) { return !may_follow(gpu, next, draft.n); });
  return order;
}

std::vector<int> GpuOrder::after(int gpu, NicNeed need, const Draft& draft) const {
  const auto rule = ground_.rules().switch_order;
  if (!ground_.has_switch() || rule == SwitchOrder::any) return by_score(gpu, need, draft);
  auto order = neighbours(gpu, draft);
  if (rule == SwitchOrder::neighbours_only) return order;
  for (const int next : by_score(gpu, need, draft))
    if (std::ranges::count(order, next) == 0) order.push_back(next);
  return order;
}

}  // namespace linerate::topo
