// What a driver refuses is noted once, with the first GPU of which it did.
#include "diagnose/health/gpus.h"

#include "diagnose/health/kernel_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace linerate::health {
namespace {

namespace nvml = topo::nvml;

constexpr unsigned kMostGpus = 1024;
constexpr unsigned kWorksPercent = 50;  // an idle GPU clocks down by intention
constexpr double kLeastShareOfClock = 0.5;

struct Ecc {
  int type;
  std::string_view what;
};
constexpr std::array kEcc{Ecc{0, "ecc_corrected"}, Ecc{1, "ecc_uncorrected"}};

}  // namespace

// Nothing where the driver does not tell it.
template <typename T, typename Call, typename... Arguments>
std::optional<T> Gpus::ask(const Gpu& gpu, std::string_view what, Call call,
                           Arguments... arguments) {
  T value{};
  const auto status = call == nullptr ? 0 : call(gpu.device, arguments..., &value);
  if (call != nullptr && status == nvml::kSuccess) return value;
  if (!noted_.contains(what))
    note(gpu.name, what,
         call == nullptr ? "the driver has no such function" : library_->text_of(status));
  return std::nullopt;
}

void Gpus::note(const std::string& gpu, std::string_view what, const std::string& why) {
  noted_.emplace(what);
  found_.unread.push_back(fmt::format("{} of {}: {}", what, gpu, why));
}

Gpus::Gpus(std::unique_ptr<nvml::Library> library) : library_(std::move(library)) {
  unsigned count = 0;
  if (const auto status = library_->call().device_count(&count); status != nvml::kSuccess)
    note("GPUs", "the number", library_->text_of(status));
  for (unsigned index = 0; index < std::min(count, kMostGpus); ++index)
    gpus_.push_back(gpu_at(index));
  std::erase_if(gpus_, [](const Gpu& gpu) { return gpu.device == nullptr; });
}

Gpus::~Gpus() {
  if (xids_ != nullptr && library_->call().free_event_set != nullptr)
    (void)library_->call().free_event_set(xids_);
}

Gpus::Gpu Gpus::gpu_at(unsigned index) {
  const auto name = fmt::format("GPU {}", index);
  const auto& call = library_->call();
  const auto gauges = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{Gauge(name, std::string(kSlowdowns[I].name))...};
  };
  Gpu gpu{.name = name,
          .temperature = {name, "temperature_c"},
          .clock = {name, "sm_clock_mhz"},
          .slowdowns = gauges(std::make_index_sequence<kSlowdowns.size()>())};
  if (const auto status = call.device_by_index(index, &gpu.device); status != nvml::kSuccess) {
    gpu.device = nullptr;
    note(name, "health " + fmt::to_string(index), library_->text_of(status));
    return gpu;
  }
  if (const auto limit = ask<unsigned>(gpu, "temperature of slowdown", call.temperature_limit,
                                       nvml::kSlowdownTemperature))
    gpu.temperature = {name, "temperature_c", *limit};
  if (const auto most = ask<unsigned>(gpu, "highest clock", call.max_clock, nvml::kSmClock))
    gpu.clock = {name, "sm_clock_mhz", kLeastShareOfClock * *most};
  return gpu;
}

void Gpus::add_counters(std::vector<Counter>& counters) {
  const auto& call = library_->call();
  for (const auto& gpu : gpus_) {
    for (const auto& ecc : kEcc)
      counters.push_back({gpu.name, std::string(ecc.what),
                          [this, &gpu, &call, &ecc]() -> std::optional<std::uint64_t> {
                            return ask<unsigned long long>(gpu, "ECC errors", call.ecc_errors,
                                                           ecc.type, nvml::kSinceDriverWasLoaded);
                          }});
    counters.push_back(
        {gpu.name, "pcie_replays", [this, &gpu, &call]() -> std::optional<std::uint64_t> {
           return ask<unsigned>(gpu, "PCIe replays", call.pcie_replays);
         }});
  }
}

bool Gpus::watch_xids() {
  const auto& call = library_->call();
  if (call.make_event_set == nullptr || call.register_events == nullptr ||
      call.next_event == nullptr || call.make_event_set(&xids_) != nvml::kSuccess)
    return false;
  for (const auto& gpu : gpus_)
    if (call.register_events(gpu.device, nvml::kXid, xids_) != nvml::kSuccess) return false;
  return !gpus_.empty();
}

void Gpus::take_xids() {
  nvml::Event event{};
  while (xids_ != nullptr && library_->call().next_event(xids_, &event, 0) == nvml::kSuccess) {
    const auto at = std::ranges::find(gpus_, event.device, &Gpu::device);
    add_xid(at == gpus_.end() ? "a GPU" : at->name, event.data, found_);
  }
}

void Gpus::sample() {
  const auto& call = library_->call();
  for (auto& gpu : gpus_) {
    if (const auto c = ask<unsigned>(gpu, "temperature", call.temperature, nvml::kGpuSensor))
      gpu.temperature.add(*c);
    const auto used = ask<nvml::Utilization>(gpu, "utilization", call.utilization);
    if (used && used->gpu >= kWorksPercent)
      if (const auto mhz = ask<unsigned>(gpu, "clock", call.clock, nvml::kSmClock))
        gpu.clock.add(*mhz);
    if (const auto bits = ask<unsigned long long>(gpu, "reasons of slow clocks", call.slowdowns))
      for (std::size_t i = 0; i < kSlowdowns.size(); ++i)
        gpu.slowdowns[i].add((*bits & kSlowdowns[i].bit) != 0 ? 1 : 0);
  }
  take_xids();
}

void Gpus::finish(NodeHealth& health) {
  health.gpus = gpus_.size();
  for (const auto& gpu : gpus_) {
    for (const auto* gauge : {&gpu.temperature, &gpu.clock})
      if (gauge->ever()) health.values.push_back(gauge->value());
    for (const auto& slowdown : gpu.slowdowns)
      if (slowdown.ever()) health.values.push_back(slowdown.value());
  }
  const bool worked = std::ranges::any_of(gpus_, [](const Gpu& gpu) { return gpu.clock.ever(); });
  if (!worked && !gpus_.empty() && !noted_.contains("clock"))
    note("GPUs", "clock", "none worked in a sample");
  std::ranges::move(found_.values, std::back_inserter(health.values));
  std::ranges::move(found_.unread, std::back_inserter(health.unread));
}

}  // namespace linerate::health
