// What nvidia-smi and containers can get wrong, put into the healthy node.
#pragma once

#include "diagnose/node/node.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::node {

// Facts of the healthy node that are replaced; an empty text takes one away.
struct Fault {
  std::string_view id;
  Severity severity;
  std::vector<std::pair<std::string, std::string>> facts;
  std::string_view evidence;
};

inline std::vector<Fault> faults_of_gpus() {
  const std::string smi = "nvidia-smi 0000:18:00.0 ", reasons = smi + "clocks_event_";
  return {
      {"driver-hangs",
       Severity::problem,
       {{"topology", "took more than 30 s"}},
       "took more than 30 s."},
      {"peer-memory",
       Severity::warning,
       {{"/proc/modules", "mlx5_core nvidia"}},
       "nvidia_peermem is not"},
      {"gpu-xid",
       Severity::problem,
       {{"kernel xid 0000:18:00.0 79", "0.5"}},
       "Xid 79, 0.5 hours ago"},
      {"gpu-xid", Severity::info, {{"kernel xid 0000:18:00.0 79", "90.0"}}, "Xid 79"},
      {"gpu-xid", Severity::info, {{"kernel xid 0000:18:00.0 31", "0.5"}}, "Xid 31"},
      {"gpu-memory",
       Severity::problem,
       {{smi + "remapped_rows.remapped_row_pending", "Yes"}},
       "is Yes"},
      {"gpu-memory",
       Severity::problem,
       {{smi + "ecc_errors.volatile.sram_uncorrectable_parity", "1"}},
       "is 1"},
      {"gpu-memory",
       Severity::warning,
       {{smi + "ecc_errors.aggregate.sram_uncorrectable", "1"}},
       "aggregate"},
      {"gpu-throttled",
       Severity::warning,
       {{reasons + "reasons.clocks_event_reason_hw_slowdown", "Active"},
        {reasons + "reasons.clocks_event_reason_hw_thermal_slowdown", "Active"}},
       "lowered for heat: hw_thermal"},
      {"gpu-throttled",
       Severity::warning,
       {{smi + "clocks_throttle_reasons.clocks_throttle_reason_hw_power_brake_slowdown", "Active"}},
       "lowered for the power supply"},
      {"gpu-throttled",
       Severity::info,
       {{reasons + "reasons_counters.clocks_event_reasons_counters_hw_power_brake", "2500000 us"}},
       "for 2.5 s since the driver"},
      {"gpu-settings",
       Severity::info,
       {{smi + "persistence_mode", "Disabled"}},
       "for its driver to start"},
      {"gpu-settings", Severity::info, {{smi + "compute_mode", "Prohibited"}}, "every process"},
      {"gpu-settings",
       Severity::warning,
       {{smi + "gpu_power_readings.current_power_limit", "450.00 W"}},
       "power is limited to 450.00 W, of 700.00 W"},
      {"gpu-settings",
       Severity::warning,
       {{smi + "applications_clocks.graphics_clock", "1410 MHz"}},
       "clock is limited to 1410 MHz, of 1980 MHz"},
  };
}

inline std::vector<Fault> faults_of_gpu_links() {
  const std::string smi = "nvidia-smi 0000:18:00.0 ", link = smi + "pci.pci_gpu_link_info.",
                    channels = "access /dev/nvidia-caps-imex-channels";
  return {
      {"numa-calls",
       Severity::info,
       {{"call get_mempolicy", "refused"}},
       "get_mempolicy is refused"},
      {"gpu-recovery",
       Severity::problem,
       {{smi + "gpu_recovery_action", "Reboot"}},
       "asks for this: Reboot"},
      {"gpu-vbios",
       Severity::warning,
       {{smi + "vbios_version", "96.00.74.00.01"}},
       "96.00.74.00.01 on 0000:18:00.0, 96.00.89.00.01 on 0000:2a:00.0"},
      {"gpu-pcie", Severity::warning, {{link + "pcie_gen.current_link_gen", "3"}}, "PCIe 3.0 in"},
      {"gpu-pcie",
       Severity::warning,
       {{link + "link_widths.current_link_width", "8x"}},
       "8 lanes of 16"},
      {"gpu-pcie", Severity::info, {{smi + "pci.replay_counter", "70000"}}, "70000 packets"},
      {"nvlink-errors", Severity::warning, {{smi + "nvlink.crc_errors", "12"}}, "crc_errors 12"},
      {"gpu-peers",
       Severity::problem,
       {{"nvidia-p2p 0000:18:00.0 0000:2a:00.0", "NS"}},
       "NS, it is not"},
      {"gpu-peers",
       Severity::warning,
       {{"nvidia-p2p 0000:18:00.0 0000:2a:00.0", "CNS"},
        {"gpu 0000:18:00.0", "NVIDIA H100 PCIe, 0 NVLinks"}},
       "CNS, the chipset"},
      {"imex-access", Severity::problem, {{channels, "denied"}}, "may not read and write"},
      {"imex-access", Severity::warning, {{channels, "absent"}}, "holds no channel"},
      {"gpu-in-use",
       Severity::warning,
       {{smi + "fb_memory_usage.used", "41203 MiB"}},
       "not seen from here"},
      {"gpu-in-use",
       Severity::info,
       {{smi + "fb_memory_usage.used", "41203 MiB"}, {smi + "processes", "2"}},
       "by 2 processes"},
      {"gpu-fabric",
       Severity::warning,
       {{smi + "fabric.health.bandwidth", "Degraded"}},
       "not 'Full'"},
      {"gpu-fabric",
       Severity::warning,
       {{smi + "fabric.clusterUuid", "77"}},
       "clusterUuid has 2 values"},
      {"gpu-fabric", Severity::problem, {{smi + "fabric.state", "In Progress"}}, "'In Progress'"},
      {"gpu-fabric", Severity::problem, {{"nv-fabricmanager", "535.54.03"}}, "It is 535.54.03"},
      {"gpu-diagnosis", Severity::problem, {{"dcgmi 1 fail", "Denylist: nouveau"}}, "nouveau"},
      {"gpu-diagnosis", Severity::warning, {{"dcgmi 1 warn", "PCIe: slow"}}, "PCIe: slow"},
      {"gpu-fabric",
       Severity::problem,
       {{smi + "fabric.status", "Unknown Error"}},
       "'Unknown Error'"},
  };
}

}  // namespace linerate::node
