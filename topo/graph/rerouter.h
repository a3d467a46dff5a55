// What NCCL sends another way than the direct one.
#pragma once

#include "topo/graph/paths.h"
#include "topo/graph/rules.h"

#include <vector>

namespace linerate::topo {

// Changes the direct paths of `paths` in NCCL's order: GPU pairs that are too far for direct
// access, GPUs with C2C, PXN, and NICs that a GPU's memory is out of reach for.
class Rerouter {
 public:
  Rerouter(const Graph& graph, const GraphRules& rules, Paths& paths);
  void reroute();

 private:
  // Of one port, until a path changes that it follows from.
  struct FirstUser {
    int net = -1, gpu = -1;
    std::vector<int> follows{};  // nodes whose ways tell it, besides the port's

    bool follows_from(int node) const;
  };

  Path& path(int from, int to) {
    return paths_.table_[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
  }
  bool within(PathType type, PathType level) const;  // as near or nearer
  PathType merged(PathType a, PathType b) const;     // of a way in two parts
  void go_over(int from, int step, int to);

  bool has_p2p(int from, int to);
  void reroute_gpus();
  void mark_p2c(int gpu, int net);
  void mark_p2c_of(int gpu);
  bool has_gdr(int gpu, int net, bool sends);
  bool has_pxn(int gpu, int peer, int net);
  int first_user(int net);
  void reroute_net(int gpu, int net);
  void stage(int gpu, int net);

  const Graph& graph_;
  const GraphRules& rules_;
  Paths& paths_;
  PathType p2p_level_;
  bool all_gdr_;
  FirstUser known_{};
};

}  // namespace linerate::topo
