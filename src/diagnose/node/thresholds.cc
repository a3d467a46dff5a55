// One map of numbers; what it leaves out stays as it is.
#include "diagnose/node/node.h"
#include "yaml/document.h"
#include "yaml/section.h"

#include <array>

namespace linerate::node {
namespace {

constexpr auto kThresholds = std::to_array<Threshold>({
    {"shm_bytes", &Thresholds::shm_bytes},
    {"shm_least_bytes", &Thresholds::shm_least_bytes},
    {"memlock_least_bytes", &Thresholds::memlock_least_bytes},
    {"open_files", &Thresholds::open_files},
    {"roce_mtu", &Thresholds::roce_mtu},
    {"read_request_bytes", &Thresholds::read_request_bytes},
    {"bar_bytes", &Thresholds::bar_bytes},
    {"idle_latency_us", &Thresholds::idle_latency_us},
    {"swap_bytes", &Thresholds::swap_bytes},
    {"memory_bytes", &Thresholds::memory_bytes},
    {"correctable_errors", &Thresholds::correctable_errors},
    {"carrier_changes", &Thresholds::carrier_changes},
    {"socket_buffer_bytes", &Thresholds::socket_buffer_bytes},
    {"interface_errors", &Thresholds::interface_errors},
    {"interface_error_share", &Thresholds::interface_error_share},
    {"tcp_loss_percent", &Thresholds::tcp_loss_percent},
    {"slowed_s", &Thresholds::slowed_s},
    {"gpu_used_bytes", &Thresholds::gpu_used_bytes},
    {"bit_errors", &Thresholds::bit_errors},
    {"bit_errors_lost", &Thresholds::bit_errors_lost},
    {"raw_bit_errors", &Thresholds::raw_bit_errors},
});

}  // namespace

std::span<const Threshold> all_thresholds() { return kThresholds; }

Result<Thresholds> parse_thresholds(std::string_view yaml) {
  constexpr std::size_t kMostBytes = 64U << 10U;
  const auto document = yaml::load_document(yaml, kMostBytes);
  if (!document) return document.failure();
  std::array<std::string_view, kThresholds.size()> names{};
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kThresholds[i].name;
  yaml::Complaints complaints;
  const yaml::Section section(*document, "thresholds", names, complaints);
  Thresholds thresholds;
  for (const auto& row : kThresholds) section.number(row.name, {0, 1e18}, thresholds.*row.value);
  if (complaints.first()) return *complaints.first();
  return thresholds;
}

}  // namespace linerate::node
