// In which order the GPUs that may follow in a channel are tried: a search ends by its budget, so
// the order decides what it finds.
#pragma once

#include "topo/search/draft.h"
#include "topo/search/gpu_queue.h"
#include "topo/search/ground.h"
#include "topo/search/load.h"

#include <cstdint>
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
  GpuOrder(const Ground& ground, const LinkLoad& load)
      : ground_(ground), load_(load), taken_(static_cast<std::size_t>(ground.gpus()), 0) {}

  // A GPU is in a channel once.
  void enter(int gpu, int channel) { flip(gpu, channel); }
  void leave(int gpu, int channel) { flip(gpu, channel); }

  // GPUs that are free for the draft's next channel after `gpu` and near enough by its path types,
  // best first. Behind NVSwitches only neighbours by number, whether near or not.
  GpuQueue after(int gpu, NicNeed need, const Draft& draft) const;

 private:
  static std::uint64_t bit(int channel) { return std::uint64_t{1} << channel; }
  void flip(int gpu, int channel) { taken_[static_cast<std::size_t>(gpu)] ^= bit(channel); }
  bool is_free(int gpu, int channel) const {
    return (taken_[static_cast<std::size_t>(gpu)] & bit(channel)) == 0;
  }
  int pci_left(int gpu) const;
  std::vector<int> neighbours(int gpu, const Draft& draft) const;
  void add_near_first(GpuQueue& queue, int gpu, const Draft& draft) const;
  void add_by_nic(GpuQueue& queue, int gpu, NicNeed need, const Draft& draft) const;

  const Ground& ground_;
  const LinkLoad& load_;
  std::vector<std::uint64_t> taken_;  // of each GPU: the channels that it is in
};

}  // namespace linerate::topo
