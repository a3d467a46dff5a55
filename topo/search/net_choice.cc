// See net_choice.h. Facts from ncclTopoSelectNets in NCCL's src/graph/search.cc.
#include "topo/search/net_choice.h"

#include <algorithm>

namespace linerate::topo {

// Ports in the order in which they first come.
class NetChoice::NetList {
 public:
  explicit NetList(int nets) : listed_(static_cast<std::size_t>(nets), 0) {}

  void add(int net) {
    char& listed = listed_[static_cast<std::size_t>(net)];
    if (listed == 0) nets_.push_back(net);
    listed = 1;
  }
  std::vector<int> take() && { return std::move(nets_); }

 private:
  std::vector<char> listed_;
  std::vector<int> nets_{};
};

// GPU by GPU; where several hosts make one node, the first port of all GPUs, then the second.
void NetChoice::add_preferred(NetList& list, int first_gpu, int last_gpu) const {
  const bool port_by_port = ground_.hosts() > 1 && ground_.rules().gpus_first;
  for (int gpu = first_gpu; gpu <= last_gpu && !port_by_port; ++gpu)
    for (const int net : ground_.net_turns(gpu)) list.add(net);
  for (std::size_t turn = 0, most = 1; turn < most && port_by_port; ++turn)
    for (int gpu = first_gpu; gpu <= last_gpu; ++gpu) {
      const auto& turns = ground_.net_turns(gpu);
      most = std::max(most, turns.size());
      if (turn < turns.size()) list.add(turns[turn]);
    }
}

const std::vector<int>& NetChoice::nets(int farthest_type, int gpu) {
  const auto [row, is_new] = known_.try_emplace({farthest_type, gpu});
  if (!is_new) return row->second;
  const int first = gpu == -1 ? 0 : gpu, last = gpu == -1 ? ground_.gpus() - 1 : gpu;
  NetList list(ground_.nets());
  add_preferred(list, first, last);
  for (int type = 0; type <= farthest_type; ++type)
    for (int g = first; g <= last; ++g)
      for (int net = 0; net < ground_.nets(); ++net)
        if (ground_.way(g, ground_.net_spot(net)).type == type) list.add(net);
  row->second = std::move(list).take();
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
