// A row for each kind of thing that moves; what no row names is recorded, and no finding.
#include "base/text.h"
#include "diagnose/health/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace linerate::health {
namespace {

// What a value says where it is one to be told of; empty: it is not.
std::string grew(const HealthValue& value) {
  if (!value.before || !value.after || *value.after == *value.before) return {};
  if (*value.after < *value.before)
    return fmt::format("{} went back from {} to {}: it was reset meanwhile", value.what,
                       *value.before, *value.after);
  return fmt::format("{} +{} ({} before)", value.what, *value.after - *value.before, *value.before);
}

std::string stayed_below(const HealthValue& value) {
  if (!value.mean || !value.limit || *value.mean >= *value.limit) return {};
  return fmt::format("{} {:.0f} on average, {:.0f} at least; healthy ones stay above {:.0f}",
                     value.what, *value.mean, value.min.value_or(0), *value.limit);
}

std::string reached(const HealthValue& value) {
  if (!value.max || !value.limit || *value.max < *value.limit) return {};
  return fmt::format("{} up to {:.0f}; it slows down from {:.0f} on", value.what, *value.max,
                     *value.limit);
}

std::string was_there(const HealthValue& value) {
  constexpr double kPercent = 100;
  if (value.max.value_or(0) <= 0) return {};
  return fmt::format("{} in {:.0f} % of the samples", value.what,
                     kPercent * value.mean.value_or(0));
}

struct Row {
  std::string_view names;  // of HealthValue::what, with | between them; a last * for any end
  std::string (*says)(const HealthValue&);
  Severity severity;
  std::string_view advice;
};
constexpr auto kWarning = Severity::warning, kInfo = Severity::info;
constexpr auto kRows = std::to_array<Row>({
    {"symbol_error|link_error_recovery|port_rcv_errors|local_link_integrity_errors|"
     "rx_crc_errors|rx_errors|tx_errors|tx_carrier_errors",
     grew, kWarning, "look at cable, transceiver and the port on the other side"},
    {"link_downed|carrier_changes", grew, kWarning,
     "the link was lost: look at the cable and at the switch's log"},
    {"local_ack_timeout_err|packet_seq_err|out_of_sequence|implied_nak_seq_err|roce_adp_retrans|"
     "retrans_timeout_events|unresponsive_remote_events",
     grew, kWarning,
     "packets were lost or overtook each other: look at PFC, ECN and the switches' discards"},
    {"rnr_nak_retry_err", grew, kWarning, "a receiver was not ready: see what else its node does"},
    {"port_xmit_discards|excessive_buffer_overrun_errors|VL15_dropped|rx_missed_errors|"
     "rx_fifo_errors|tx_fifo_errors|rx_drops",
     grew, kWarning, "packets were dropped: look at flow control, and at the NIC's rings"},
    {"rx_dropped|tx_dropped", grew, kInfo,
     "packets were dropped, also those of protocols that nobody here speaks"},
    {"np_cnp_sent|rp_cnp_handled", grew, kInfo, "the network was congested: see who shares it"},
    {"core_throttle_count|package_throttle_count", grew, kWarning,
     "processors were too hot: look at fans, inlet temperature and power limits"},
    {"frequency_mhz", stayed_below, kWarning,
     "see the governor and power limits: cpupower frequency-info, turbostat"},
    {"ecc_uncorrected", grew, kWarning, "drain the node, reset the GPU, run dcgmi diag -r 3"},
    {"ecc_corrected", grew, kInfo, "watch it: nvidia-smi -q -d ECC,ROW_REMAPPER"},
    {"pcie_replays", grew, kWarning, "look at the GPU's slot and riser: linerate topo --lint"},
    {"xid_13|xid_31|xid_43|xid_45", grew, kWarning,
     "usually an error of a program, this one or another on the GPU"},
    {"xid_*", grew, kWarning,
     "look the number up in NVIDIA's list of Xids; drain the node before the next job"},
    {"temperature_c", reached, kWarning, "look at fans, airflow and inlet temperature"},
    {"sm_clock_mhz", stayed_below, kWarning, "look for locked clocks: nvidia-smi -q -d CLOCK"},
    {"hw_slowdown|hw_thermal_slowdown|sw_thermal_slowdown", was_there, kWarning,
     "the GPU was slowed down: look at its cooling: nvidia-smi -q -d PERFORMANCE,TEMPERATURE"},
    {"hw_power_brake_slowdown", was_there, kWarning,
     "the power supply asked GPUs to slow down: look at its units and feeds"},
    {"sw_power_cap", was_there, kInfo, "the power limit held clocks down, as usual at full load"},
});

bool names(const Row& row, std::string_view what) {
  return std::ranges::any_of(split(row.names, '|'), [&](std::string_view name) {
    if (name.ends_with('*')) return what.starts_with(name.substr(0, name.size() - 1));
    return name == what;
  });
}

}  // namespace

std::vector<Finding> findings_of(std::span<const NodeHealth> nodes) {
  std::vector<Finding> findings;
  for (const auto& node : nodes)
    for (const auto& value : node.values) {
      const auto row =
          std::ranges::find_if(kRows, [&](const Row& one) { return names(one, value.what); });
      const auto evidence = row == kRows.end() ? std::string() : row->says(value);
      if (evidence.empty()) continue;
      findings.push_back({.run_id = node.run_id,
                          .rule = std::string(kRule),
                          .severity = row->severity,
                          .subject = fmt::format("node {}: {}", node.hostname, value.subject),
                          .evidence = evidence,
                          .advice = std::string(row->advice)});
    }
  std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::severity);
  return findings;
}

std::vector<RuleText> rule_texts() {
  return {
      {kRule, kWarning, "what moved on a node while a run lasted",
       "error counters of NICs, NVML of GPUs, frequency and throttle counts of processors, Xids",
       "at most 16 times for a run: if a counter rose, a GPU or processor was slowed down or ran "
       "hot, or an ECC error or an Xid came",
       "What moves during a run explains a slow or uneven result, or one that failed.",
       "what the finding says: it names the device, the counter and what to look at"}};
}

}  // namespace linerate::health
