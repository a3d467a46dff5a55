// The performance model of ranks on host memory: one host's memory, or TCP between several hosts.
#pragma once

#include "model/buffer_reuse.h"
#include "model/memory_bound.h"
#include "model/network_bound.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace linerate {

// What was measured right before a run, and how its calls use their buffers.
struct HostLimits {
  BufferReuse reuse{};
  MemoryLimits memory{};
  std::vector<std::size_t> unprobed{};     // sizes of memory that there was no time for, ascending
  std::optional<NetworkLimits> network{};  // nothing: the ranks are on one host
};

class HostModel final : public PerformanceModel {
 public:
  // Above it the closed forms, with a part for each pair of ranks, take longer than they are worth.
  static constexpr int kMaxRanks = 1024;

  explicit HostModel(HostLimits limits) : limits_(std::move(limits)) {}

  // On one host nothing for footprints whose size was not probed. Below a network's bound the
  // memory's time is unknown where nothing was probed, and 0 where it is not known to be more.
  std::optional<Expectation> bound(const ModeledCall& call) const override {
    const auto footprint = footprint_of(call, limits_.reuse);
    const auto& memory = limits_.memory;
    const bool covered =
        !memory.curve.empty() && memory.curve.covers(footprint.distances(), limits_.unprobed);
    if (!limits_.network) return covered ? memory_bound(call, memory, footprint) : std::nullopt;
    std::optional<double> memory_us;
    if (!memory.curve.empty()) memory_us = covered ? min_memory_us(memory, footprint) : 0;
    return network_bound(call, *limits_.network, memory_us);
  }

  // Sizes that there was no time for again have no bound.
  std::unique_ptr<const PerformanceModel> probed_again(
      std::span<const MemoryPoint> memory, std::span<const NetworkPoint> network) const override {
    if (memory.empty() && network.empty()) return nullptr;
    auto limits = limits_;
    for (const auto& point : limits.memory.curve.points())
      if (std::ranges::find(memory, point.bytes, &MemoryPoint::bytes) == memory.end())
        limits.unprobed.push_back(point.bytes);
    limits.memory.curve = MemoryCurve({memory.begin(), memory.end()});
    if (limits.network && !network.empty())
      limits.network->points = healthy_points({network.begin(), network.end()});
    return std::make_unique<HostModel>(std::move(limits));
  }

 private:
  HostLimits limits_;
};

}  // namespace linerate
