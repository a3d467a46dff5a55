// Which NIC ports a search tries, and in which order.
#pragma once

#include "topo/search/draft.h"
#include "topo/search/ground.h"

#include <map>
#include <utility>
#include <vector>

namespace linerate::topo {

class NetChoice {
 public:
  explicit NetChoice(const Ground& ground) : ground_(ground) {}

  // The ports that `gpu` uses for its channels, then all others within the path type; -1: those of
  // all GPUs. Path type -1: only the former.
  const std::vector<int>& nets(int farthest_type, int gpu);

  // Whether the channel being tried may come back to `net` at its `step`th GPU.
  bool may_end(const Draft& draft, int net, int step) const;

 private:
  class NetList;
  void add_preferred(NetList& list, int first_gpu, int last_gpu) const;
  bool crosses_too_much(const Draft& draft, int net) const;

  const Ground& ground_;
  std::map<std::pair<int, int>, std::vector<int>> known_;
};

}  // namespace linerate::topo
