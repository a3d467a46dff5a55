// See reach.h.
#include "topo/search/reach.h"

#include "topo/search/load.h"

#include <algorithm>
#include <cassert>
#include <vector>

namespace linerate::topo {
namespace {

// GPUs that ways join, in either direction: those from the first GPU on.
class Reach {
 public:
  Reach(const Ground& ground, const Draft& draft) : ground_(ground), draft_(draft), idle_(ground) {}

  bool has_all_gpus() const {
    std::vector<char> reached(static_cast<std::size_t>(ground_.gpus()), 0);
    std::vector<int> found{0};
    reached[0] = 1;
    for (std::size_t i = 0; i < found.size(); ++i)
      for (int gpu = 0; gpu < ground_.gpus(); ++gpu) {
        char& known = reached[static_cast<std::size_t>(gpu)];
        if (known != 0 || !(has_way(found[i], gpu) || has_way(gpu, found[i]))) continue;
        known = 1;
        found.push_back(gpu);
      }
    return std::ssize(found) == ground_.gpus();
  }

  bool has_start() const {
    for (int net = 0; net < ground_.nets(); ++net)
      for (int gpu = 0; gpu < ground_.gpus(); ++gpu)
        if (idle_.can_take(ground_.way(ground_.net_spot(net), gpu), draft_.inter_gbps)) return true;
    return false;
  }

 private:
  bool has_way(int from, int to) const {
    const Way& way = ground_.way(from, to);
    return draft_.may_go_inside(way) && idle_.can_take(way, draft_.intra_gbps);
  }

  const Ground& ground_;
  const Draft& draft_;
  LinkLoad idle_;
};

}  // namespace

bool joins_all(const Ground& ground, const Draft& draft) {
  assert(!draft.has_heads());
  const Reach reach(ground, draft);
  return reach.has_all_gpus() && (!ground.multi_node() || reach.has_start());
}

}  // namespace linerate::topo
