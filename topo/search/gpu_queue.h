// GPUs to be tried, handed out one by one: most searches take the first one and go on from there,
// so that the others are put in order only when they are asked for.
#pragma once

#include <compare>
#include <cstddef>
#include <utility>
#include <vector>

namespace linerate::topo {

// How good a GPU is, the most important first: towards the NIC, then from the GPU before it. Whole
// GB/s, as NCCL compares them; less is better.
struct Preference {
  int nic_gbps = 0, nic_pci_gbps = 0;  // negative
  int nic_hops = 0;
  int place = 0;  // among the followers of the GPU before it

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

}  // namespace linerate::topo
