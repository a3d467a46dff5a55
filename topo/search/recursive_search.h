// Packs channels of a given speed into a node, one after the other, going back where it gets stuck.
#pragma once

#include "topo/search/candidate_graph.h"
#include "topo/search/search_order.h"
#include "topo/search/search_topology.h"

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

// One attempt: fills `candidate` up to its maximum of channels in every way that its speed, path
// types and the budget allow, and keeps what is best so far. It follows the recursion of NCCL's
// src/graph/search.cc step by step.
class RecursiveSearch {
 public:
  RecursiveSearch(const SearchTopology& topology, NetChoice& choice, CandidateGraph& candidate,
                  CandidateGraph& best);
  void run(Budget& budget) { next_channel(budget); }

 private:
  // How the next GPU is chosen.
  enum class Order : std::uint8_t { free, by_number, as_before };
  // Where a channel is: at its `step`th GPU. At steps `back_to_net` and `back_to_first` it returns
  // to the NIC or to its first GPU; -1: never.
  struct SearchPos {
    int step = 0;
    int back_to_net = -1, back_to_first = -1;
    Order order = Order::free;
    Budget* budget = nullptr;
  };
  static constexpr int kNowhere = -1;

  Channel& current() { return candidate_.channel(candidate_.n); }
  SearchPos start(Budget& budget) const;
  bool has_ended(const Budget& budget) const;
  bool has_references() const;
  // Whether both are GPUs or the NVSwitch.
  bool is_inside(int from, int to) const {
    return !topology_.is_net(from) && !topology_.is_net(to);
  }
  float gbps(int from, int to) const {  // of a channel
    return is_inside(from, to) ? candidate_.intra_gbps : candidate_.inter_gbps;
  }
  // Takes the links of the path for so many whole channels; gives them back.
  bool go(int from, int to, int times = 1);
  void undo(int from, int to, int times = 1);

  void next_channel(Budget& budget);
  void start_inside(const SearchPos& pos);
  void start_at_nets(const SearchPos& pos);
  void start_at(int net, const SearchPos& pos);
  bool start_at_head(int net, const SearchPos& pos);
  void start_anywhere(int net, const SearchPos& pos);
  std::vector<int> gpus_near(int net) const;
  std::vector<int> gpus_in_turn(int net) const;
  bool may_start(int net, int gbps) const;
  void use_port(int net, int gbps);

  void try_gpu(int from, int gpu, const SearchPos& pos);
  void visit(int gpu, const SearchPos& pos);
  void complete(Budget& budget);
  void return_to_net(int gpu, const SearchPos& pos);
  void onward(int gpu, const SearchPos& pos);
  std::vector<int> next_gpus(int gpu, const SearchPos& pos, int step) const;
  void close_ring(int gpu, const SearchPos& pos);
  void try_switch(int gpu, const SearchPos& pos);

  const SearchTopology& topology_;
  NetChoice& choice_;
  CandidateGraph& candidate_;
  CandidateGraph& best_;
  LinkLoad load_;
  GpuOrder order_;
  std::vector<float> ports_;  // GB/s left of each
};

}  // namespace linerate::topo
