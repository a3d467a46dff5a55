// What was watched on a node while a run lasted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace linerate {

// The unit is in `what`.
struct HealthValue {
  std::string subject{};  // "mlx5_0 port 1", "GPU 0", "busy processors"
  std::string what{};     // "symbol_error", "temperature_c", "hw_thermal_slowdown"
  // Of what only counts up.
  std::optional<std::uint64_t> before{}, after{};
  // Of what comes and goes, over all samples; the limit is absent where none is known. What is
  // there or not is 1 or 0.
  std::optional<double> min{}, mean{}, max{}, limit{};

  static auto members(auto& value) {
    return std::tie(value.subject, value.what, value.before, value.after, value.min, value.mean,
                    value.max, value.limit);
  }
};

// The `health` line.
struct NodeHealth {
  std::string run_id{};
  int node = 0;
  std::string hostname{};
  std::uint64_t samples = 0;
  std::uint64_t counters = 0;  // that were read before and after
  std::uint64_t gpus = 0;
  std::vector<HealthValue> values{};  // of the counters those that moved
  std::vector<std::string> unread{};  // what could not be read, and why

  // For messages between nodes; the run is the reader's.
  static auto members(auto& health) {
    return std::tie(health.hostname, health.samples, health.counters, health.gpus, health.values,
                    health.unread);
  }
};

}  // namespace linerate
