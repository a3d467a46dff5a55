// Threads on cores of their own that go over memory together, each over what lies near it.
#pragma once

#include "base/clock.h"
#include "bench/probe/kernels.h"
#include "comm/buffer.h"
#include "comm/device.h"
#include "topo/machine.h"

#include <atomic>
#include <cstddef>
#include <vector>

namespace linerate {

// Which blocks of memory each of a team's first threads goes over, by number: all blocks of its
// memory node, shared out among the threads that work there. Block i is thread i's own.
std::vector<std::vector<std::size_t>> shared_out(const std::vector<HardwareThread>& threads,
                                                 std::size_t nworkers);

// Used by one thread; `host` and `clock` outlive it.
class PinnedTeam {
 public:
  // A block of `block_bytes` for each of `threads`, touched on its core.
  PinnedTeam(std::vector<HardwareThread> threads, std::size_t block_bytes, Device& host,
             const Clock& clock);

  std::size_t size() const { return threads_.size(); }
  // How many of the threads could not be bound to their cores: what is said of cores is then less
  // than certain.
  int unbound() const { return unbound_; }

  // GB/s (10^9 bytes, as the kernel counts them) of all threads together over `bytes` each of their
  // own blocks: the best of a few passes.
  double own_gbps(const probe::Kernel& kernel, std::size_t bytes);
  // The same of the first `nworkers` over all memory of their memory nodes.
  double shared_gbps(const probe::Kernel& kernel, std::size_t nworkers);

 private:
  using Pieces = std::vector<View>;  // of one thread, in order

  double gbps(const probe::Kernel& kernel, const std::vector<Pieces>& pieces);

  std::vector<HardwareThread> threads_;
  const Clock& clock_;
  std::vector<Buffer> blocks_;
  std::atomic<int> unbound_ = 0;
};

}  // namespace linerate
