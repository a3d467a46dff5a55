// Packs channels of a given speed into a node, one after the other, going back where it gets stuck.
#pragma once

#include "topo/search/draft.h"
#include "topo/search/gpu_order.h"
#include "topo/search/ground.h"
#include "topo/search/load.h"
#include "topo/search/net_choice.h"

#include <cstdint>

namespace linerate::topo {

// What is left of a budget of steps. Ended where the best that can be was found.
class Budget {
 public:
  static constexpr int kPerfect = -1;

  explicit Budget(int steps) : left_(steps) {}
  bool spend() {
    if (left_ <= 0) return false;
    --left_;
    return true;
  }
  void end() { left_ = kPerfect; }
  bool is_perfect() const { return left_ == kPerfect; }
  bool is_over() const { return left_ <= 0; }
  int left() const { return left_; }

 private:
  int left_;
};

// One attempt: fills `draft` up to its maximum of channels in every way that its speed, path types
// and the budget allow, and keeps what is best so far. It follows the recursion of NCCL's
// src/graph/search.cc step by step.
class Packer {
 public:
  Packer(const Ground& ground, NetChoice& choice, Draft& draft, Draft& best);
  void pack(Budget& budget) { next_channel(budget); }

 private:
  // How the next GPU is chosen.
  enum class Order : std::uint8_t { free, by_number, as_before };
  // Where a channel stands: at its `step`th GPU. At steps `to_net` and `to_first` it goes back to
  // the NIC or to its first GPU; -1: never.
  struct Stand {
    int step = 0;
    int to_net = -1, to_first = -1;
    Order order = Order::free;
    Budget* budget = nullptr;
  };
  static constexpr int kNowhere = -1;

  Channel& current() { return draft_.channel(draft_.n); }
  Stand start(Budget& budget) const;
  bool has_ended(const Budget& budget) const;
  bool has_references() const;
  bool go(int from, int to, float share);  // takes the links of the way
  void undo(int from, int to, float share);
  void count_hops(const Way& way, float share);

  void next_channel(Budget& budget);
  void start_inside(const Stand& stand);
  void start_at_nets(const Stand& stand);
  void start_at(int net, const Stand& stand);
  bool start_at_head(int net, const Stand& stand);
  void start_anywhere(int net, const Stand& stand);
  std::vector<int> gpus_near(int net) const;
  std::vector<int> gpus_in_turn(int net) const;
  bool may_start(int net, int gbps) const;
  void use_port(int net, int gbps);

  void try_gpu(int from, int gpu, const Stand& stand);
  void visit(int gpu, const Stand& stand);
  void complete(Budget& budget);
  void back_to_net(int gpu, const Stand& stand);
  void onward(int gpu, const Stand& stand);
  GpuQueue followers(int gpu, const Stand& stand, int step) const;
  void close_ring(int gpu, const Stand& stand);
  void try_switch(int gpu, const Stand& stand);
  bool load_switch(int gpu, bool inward, int& done);
  void try_direct(int gpu, const Stand& stand);
  bool load_peers(int gpu, bool outward, int& done);

  const Ground& ground_;
  NetChoice& choice_;
  Draft& draft_;
  Draft& best_;
  LinkLoad load_;
  GpuOrder order_;
  std::vector<float> ports_;  // GB/s left of each
};

}  // namespace linerate::topo
