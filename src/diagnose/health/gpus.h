// What NVIDIA's driver tells of GPUs while they work.
#pragma once

#include "diagnose/health/gauge.h"
#include "topo/detect/nvml.h"

#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::health {

// Why the clocks of a GPU are slower than they may be: nvmlClocksThrottleReason….
struct Slowdown {
  unsigned long long bit;
  std::string_view name;
};
inline constexpr std::array kSlowdowns{
    Slowdown{0x04, "sw_power_cap"}, Slowdown{0x08, "hw_slowdown"},
    Slowdown{0x20, "sw_thermal_slowdown"}, Slowdown{0x40, "hw_thermal_slowdown"},
    Slowdown{0x80, "hw_power_brake_slowdown"}};

class Gpus {
 public:
  explicit Gpus(std::unique_ptr<topo::nvml::Library> library);
  ~Gpus();
  Gpus(const Gpus&) = delete;
  Gpus& operator=(const Gpus&) = delete;

  std::size_t count() const { return gpus_.size(); }
  void add_counters(std::vector<Counter>& counters);
  // From now on; false: the driver does not tell them.
  bool watch_xids();
  void sample();
  void finish(NodeHealth& health);

 private:
  struct Gpu {
    std::string name{};
    topo::nvml::Device device{};
    Gauge temperature, clock;
    std::array<Gauge, kSlowdowns.size()> slowdowns;
  };

  template <typename T, typename Call, typename... Arguments>
  std::optional<T> ask(const Gpu& gpu, std::string_view what, Call call, Arguments... arguments);
  Gpu gpu_at(unsigned index);
  void note(const std::string& gpu, std::string_view what, const std::string& why);
  void take_xids();

  std::unique_ptr<topo::nvml::Library> library_;
  std::vector<Gpu> gpus_;
  topo::nvml::EventSet xids_ = nullptr;
  NodeHealth found_;  // Xids, and what could not be read
  std::set<std::string, std::less<>> noted_;
};

}  // namespace linerate::health
