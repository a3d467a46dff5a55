// See gpu_order.h. Facts from ncclTopoSearchNextGpuSort in NCCL's src/graph/search.cc.
#include "topo/search/gpu_order.h"

#include <algorithm>

namespace linerate::topo {

// What is free of a GPU's PCI link in its tighter direction; -1: it has none.
int GpuOrder::pci_left(int gpu) const {
  if (ground_.pci_link(gpu) < 0) return -1;
  return static_cast<int>(
      std::min(load_.free(ground_.pci_link(gpu)), load_.free(ground_.pci_back_link(gpu))));
}

void GpuOrder::add_near_first(GpuQueue& queue, int gpu, const Draft& draft) const {
  for (const auto& next : ground_.followers(gpu))
    if (is_free(next.gpu, draft.n) && draft.may_go_inside(*next.way) &&
        !queue.begins_with(next.gpu))
      queue.append(next.gpu);
}

// Where all GPUs are equal but for the NIC, those far from it come first until it is needed.
void GpuOrder::add_by_nic(GpuQueue& queue, int gpu, NicNeed need, const Draft& draft) const {
  const int nic = ground_.net_spot(draft.channel(draft.n).net_in);
  const auto& followers = ground_.followers(gpu);
  const Follower* nearest = nullptr;
  bool equal = true;
  queue.reserve(followers.size());
  for (std::size_t place = 0; place < followers.size(); ++place) {
    const Follower& next = followers[place];
    if (!is_free(next.gpu, draft.n)) continue;
    if (nearest == nullptr) nearest = &next;
    equal = equal && next.is_as_near_as(*nearest);
    if (!draft.may_go_inside(*next.way) || queue.begins_with(next.gpu)) continue;
    const Way& from_nic = ground_.way(nic, next.gpu);
    queue.add(next.gpu, {.nic_gbps = -static_cast<int>(from_nic.gbps),
                         .nic_pci_gbps = -pci_left(next.gpu),
                         .nic_hops = static_cast<int>(from_nic.legs.size()),
                         .place = static_cast<int>(place)});
  }
  queue.order(need == NicNeed::later && equal);
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
  std::erase_if(order, [&](int next) {
    return next == gpu || ground_.way(gpu, next).legs.empty() || !is_free(next, draft.n);
  });
  return order;
}

GpuQueue GpuOrder::after(int gpu, NicNeed need, const Draft& draft) const {
  const auto rule = ground_.rules().switch_order;
  GpuQueue queue;
  if (ground_.has_switch() && rule != SwitchOrder::any) {
    queue = GpuQueue(neighbours(gpu, draft));
    if (rule == SwitchOrder::neighbours_only) return queue;
  }
  if (need == NicNeed::none)
    add_near_first(queue, gpu, draft);
  else
    add_by_nic(queue, gpu, need, draft);
  return queue;
}

}  // namespace linerate::topo
