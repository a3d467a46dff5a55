// What the hosts' memory, and TCP between several of them, give to the ranks of a run: measured
// right before the first result and right after the last one.
//
//   memory_probe   the memory of each node, by all its ranks at once
//   probe_plan     which sizes of it, in which order, within how much time
//   network_probe  TCP between nodes, by one rank of each
// From them HostLimits, of which src/model makes bounds.
#pragma once

#include "bench/plan.h"
#include "bench/session.h"
#include "model/host_model.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace linerate {

// Whether each node has as many of the ranks: where not, no one curve is that of all their
// memories.
bool are_equally_full(std::span<const RankInfo> ranks);

class HostProbe {
 public:
  // What a run knows before it is probed.
  struct Run {
    const std::vector<Case>& cases;
    BufferSizes buffers{};  // of one rank
    const TrafficMatrix* traffic = nullptr;
    double barrier_us = 0, barrier_least_us = 0;
    bool shared_cores = false;    // on rank 0: there are more ranks than cores
    std::size_t cache_bytes = 0;  // on rank 0: RunEvents::cache_bytes
  };

  // Takes 0.2 s at most, longer where cores are busy; overwrites the ranks' buffers. Collective
  // over all threads. Null where results do not follow from memory and TCP:
  //  - ranks on GPUs, or on an emulated network;
  //  - hosts that exchange data over something other than TCP, or that cannot be probed;
  //  - groups of ranks, one rank alone, more than HostModel::kMaxRanks.
  static std::unique_ptr<HostProbe> measure(Session& session, const Run& run);

  // On rank 0.
  const HostLimits& limits() const { return limits_; }

  // On rank 0; `network` is empty on one host.
  struct Points {
    std::vector<MemoryPoint> memory{};
    std::vector<NetworkPoint> network{};
  };
  Points points() const;
  // The same once more, later. Collective over all threads.
  Points measure_again(Session& session) const;

 private:
  HostProbe() = default;
  std::vector<std::size_t> wanted_sizes(const Session& session, const Run& run) const;
  bool measure_network(Session& session, const Run& run);
  void measure_memory(Session& session, const Run& run);
  double memory_budget_us() const;

  HostLimits limits_;
  std::optional<std::vector<NetworkPoint>> network_;  // as measured; nothing: one host
};

}  // namespace linerate
