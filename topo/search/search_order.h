// Which GPU or NIC a search tries next: a search ends by its budget, so the order decides what it
// finds.
#pragma once

#include "topo/search/candidate_graph.h"
#include "topo/search/search_topology.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace linerate::topo {

// GPUs to be tried, handed out one by one: most searches take the first one and go on from there,
// so that the others are put in order only when they are asked for.

// How good a GPU is, the most important first: towards the NIC, then from the GPU before it. Whole
// GB/s, as NCCL compares them; less is better.
struct Preference {
  int nic_gbps = 0, nic_pci_gbps = 0;  // negative
  int nic_hops = 0;
  int place = 0;  // among the next GPUs of the one before it

  auto operator<=>(const Preference&) const = default;
};

class GpuQueue {
 public:
  static constexpr int kNone = -1;

  GpuQueue() = default;
  // These come before all others, in this order.
  explicit GpuQueue(std::vector<int> first)
      : in_order_(std::move(first)), firsts_(in_order_.size()) {}
  bool begins_with(int gpu) const;  // whether it is one of those

  // Those that are added come behind those that are appended.
  void append(int gpu) { in_order_.push_back(gpu); }

  void reserve(std::size_t gpus) { preferred_.reserve(gpus); }  // to be added
  void add(int gpu, const Preference& preference) { preferred_.push_back({preference, gpu}); }
  // Once all are added. REQUIRED where any was.
  void order(bool worst_first);

  int next() {  // kNone: that was all
    return handed_out_ < in_order_.size() ? in_order_[handed_out_++] : next_preferred();
  }

 private:
  struct Preferred {
    Preference preference;
    int gpu = 0;

    auto operator<=>(const Preferred&) const = default;
  };

  int next_preferred();

  std::vector<int> in_order_{};
  std::size_t firsts_ = 0, handed_out_ = 0;
  std::vector<Preferred> preferred_{};  // a heap
  bool worst_first_ = false;
};

// In which order the GPUs that may follow in a channel are tried: a search ends by its budget, so
// the order decides what it finds.

// What is wanted of the GPU that follows.
enum class NicNeed : std::uint8_t {
  none,   // the channel will not come back to its NIC
  next,   // it will from the next GPU
  later,  // it will from a later one
};

class GpuOrder {
 public:
  GpuOrder(const SearchTopology& topology, const LinkLoad& load)
      : topology_(topology), load_(load), taken_(static_cast<std::size_t>(topology.gpus()), 0) {}

  // A GPU is in a channel once.
  void enter(int gpu, int channel) { flip(gpu, channel); }
  void leave(int gpu, int channel) { flip(gpu, channel); }

  // GPUs that are free for the candidate's next channel after `gpu` and near enough by its path
  // types, best first. Behind NVSwitches only neighbours by number, whether near or not.
  GpuQueue after(int gpu, NicNeed need, const CandidateGraph& candidate) const;

 private:
  static std::uint64_t bit(int channel) { return std::uint64_t{1} << channel; }
  void flip(int gpu, int channel) { taken_[static_cast<std::size_t>(gpu)] ^= bit(channel); }
  bool is_free(int gpu, int channel) const {
    return (taken_[static_cast<std::size_t>(gpu)] & bit(channel)) == 0;
  }
  int pci_left(int gpu) const;
  std::vector<int> neighbours(int gpu, const CandidateGraph& candidate) const;
  void add_near_first(GpuQueue& queue, int gpu, const CandidateGraph& candidate) const;
  void add_by_nic(GpuQueue& queue, int gpu, NicNeed need, const CandidateGraph& candidate) const;

  const SearchTopology& topology_;
  const LinkLoad& load_;
  std::vector<std::uint64_t> taken_;  // of each GPU: the channels that it is in
};

class NetChoice {
 public:
  explicit NetChoice(const SearchTopology& topology) : topology_(topology) {}

  // The ports that `gpu` uses for its channels, then all others within the path type; -1: those of
  // all GPUs. Path type -1: only the former.
  const std::vector<int>& nets(int farthest_type, int gpu);

  // Whether the channel being tried may come back to `net` at its `step`th GPU.
  bool may_end(const CandidateGraph& candidate, int net, int step) const;

 private:
  class NetList;
  void add_preferred(NetList& list, int first_gpu, int last_gpu) const;
  bool crosses_too_much(const CandidateGraph& candidate, int net) const;

  const SearchTopology& topology_;
  std::map<std::pair<int, int>, std::vector<int>> known_;
};

}  // namespace linerate::topo
