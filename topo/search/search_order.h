// Which GPU or NIC a search tries next: a search ends by its budget, so the order decides what it
// finds.
#pragma once

#include "topo/search/candidate_graph.h"
#include "topo/search/search_topology.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace linerate::topo {

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

  // The GPU enters the channel, or leaves it where it is in. It is in a channel once.
  void flip(int gpu, int channel) { taken_[static_cast<std::size_t>(gpu)] ^= bit(channel); }

  // Whether something of the GPU's PCI link is free in both directions.
  bool has_pci_left(int gpu) const {
    return topology_.pci_link(gpu) >= 0 && load_.free(topology_.pci_link(gpu)) > 0 &&
           load_.free(topology_.pci_back_link(gpu)) > 0;
  }

  // GPUs that are free for the candidate's next channel after `gpu` and near enough by its path
  // types, best first. Behind NVSwitches only neighbours by number, whether near or not.
  std::vector<int> after(int gpu, NicNeed need, const CandidateGraph& candidate) const;

 private:
  static std::uint64_t bit(int channel) { return std::uint64_t{1} << channel; }
  bool is_free(int gpu, int channel) const {
    return (taken_[static_cast<std::size_t>(gpu)] & bit(channel)) == 0;
  }
  int pci_left(int gpu) const;
  std::vector<int> neighbours(int gpu, const CandidateGraph& candidate) const;
  void add_near_first(std::vector<int>& order, int gpu, const CandidateGraph& candidate) const;
  void add_by_nic(std::vector<int>& order, int gpu, NicNeed need,
                  const CandidateGraph& candidate) const;

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
  bool crosses_too_much(const CandidateGraph& candidate, int net) const;

  const SearchTopology& topology_;
  std::map<std::pair<int, int>, std::vector<int>> known_;
};

}  // namespace linerate::topo
