// A healthy GPU server with two RoCE NICs, of two sockets, as its snapshot would be.
#pragma once

#include "diagnose/node/node.h"

#include <fmt/format.h>

#include <string>

namespace linerate::node {

inline void add_device(Snapshot& node, const std::string& place, const std::string& pci_class) {
  const auto path = "/sys/bus/pci/devices/" + place;
  node.facts.merge(std::map<std::string, std::string, std::less<>>{
      {path + "/class", pci_class},
      {path + "/vendor", pci_class == "0x030200" ? "0x10de" : "0x15b3"},
      {path + "/numa_node", "0"},
      {path + "/local_cpulist", "0-31"},
      {path + "/resource", "137438953472"},
      {path + "/aer_dev_fatal", "0"},
      {path + "/aer_dev_nonfatal", "0"},
      {path + "/aer_dev_correctable", "3"},
      {path + "/iommu_group/type", "identity"},
      {path + "/current_link_width", "16"},
      {"pcie " + path, "acs=0x0 port=0 read_request=4096 relaxed=1"}});
}

inline void add_port(Snapshot& node, int number) {
  const auto device = fmt::format("/sys/class/infiniband/mlx5_{}", number);
  const auto port = device + "/ports/1";
  const auto place = fmt::format("0000:5{}:00.0", number);
  add_device(node, place, "0x020000");
  node.facts.merge(std::map<std::string, std::string, std::less<>>{
      {"rdma /sys/bus/pci/devices/" + place, fmt::format("mlx5_{}", number)},
      {device + "/fw_ver", "28.39.3004"},
      {fmt::format("{}/device/net/ens{}/mtu", device, number), "9000"},
      {fmt::format("{}/device/net/ens{}/carrier_changes", device, number), "2"},
      {port + "/state", "4: ACTIVE"},
      {port + "/phys_state", "5: LinkUp"},
      {port + "/rate", "400 Gb/sec (4X NDR)"},
      {port + "/link_layer", "Ethernet"},
      {port + "/pkeys/0", "0xffff"},
      {"roce index " + port, "3"},
      {fmt::format("network ens{}", number), std::to_string(number)},
      {port + "/counters/symbol_error", "0"},
      {port + "/counters/link_downed", "0"},
      {port + "/hw_counters/np_cnp_sent", "0"},
      {fmt::format("/sys/class/net/ens{}/ecn/roce_np/enable/3", number), "1"},
      {fmt::format("ethtool ens{}", number), "asked"},
      {fmt::format("mlxlink mlx5_{} effective_ber", number), "15E-255"},
      {fmt::format("mlxlink mlx5_{} raw_ber", number), "1E-8"},
      {"gid " + port + "/gids/0", "IB/RoCE v1 link-local"},
      {"gid " + port + "/gids/3", "RoCE v2 IPv4"}});
}

inline void add_gpu(Snapshot& node, const std::string& place) {
  add_device(node, place, "0x030200");
  const auto add = [&](const char* element, const char* text) {
    node.facts[fmt::format("nvidia-smi {} {}", place, element)] = text;
  };
  node.facts["gpu " + place] = "NVIDIA H100 80GB HBM3, 18 NVLinks";
  add("product_name", "NVIDIA H100 80GB HBM3");
  add("vbios_version", "96.00.89.00.01");
  add("ecc_errors.volatile.dram_uncorrectable", "0");
  add("ecc_errors.volatile.dram_correctable", "12");
  add("ecc_errors.unrepairable_memory", "No");
  add("remapped_rows.remapped_row_pending", "No");
  add("remapped_rows.remapped_row_unc", "3");
  add("clocks_event_reasons.clocks_event_reason_gpu_idle", "Active");
  add("clocks_event_reasons.clocks_event_reason_hw_slowdown", "Not Active");
  add("clocks_event_reasons_counters.clocks_event_reasons_counters_hw_power_brake", "20 us");
  add("clocks_event_reasons_counters.clocks_event_reasons_counters_sw_power_cap", "90000000 us");
  add("persistence_mode", "Enabled");
  add("compute_mode", "Default");
  add("gpu_recovery_action", "None");
  add("gpu_power_readings.current_power_limit", "700.00 W");
  add("gpu_power_readings.default_power_limit", "700.00 W");
  add("applications_clocks.graphics_clock", "1980 MHz");
  add("default_applications_clocks.graphics_clock", "1980 MHz");
  add("performance_state", "P0");
  add("pci.pci_gpu_link_info.pcie_gen.current_link_gen", "5");
  add("pci.pci_gpu_link_info.pcie_gen.max_link_gen", "5");
  add("pci.pci_gpu_link_info.link_widths.current_link_width", "16x");
  add("pci.pci_gpu_link_info.link_widths.max_link_width", "16x");
  add("pci.replay_counter", "2");
  add("nvlink.crc_errors", "0");
  add("fabric.state", "Completed");
  add("fabric.status", "Success");
  add("fabric.clusterUuid", "5a1b");
  add("fabric.health.bandwidth", "Full");
  add("processes", "0");
  add("fb_memory_usage.used", "4 MiB");
}

// A bond of both ports, memory, and what /etc says.
inline void add_settings(Snapshot& node) {
  node.facts.merge(std::map<std::string, std::string, std::less<>>{
      {"memory", "1007.8 GiB"},
      {"cgroup memory.max", "549755813888"},
      {"cgroup memory.stat", "10000000000"},
      {"cgroup memory.events", "oom_kill 0"},
      {"logind RemoveIPC", "no"},
      {"hosts own name", "other"},
      {"/sys/class/net/bond0/bonding/mode", "802.3ad 4"},
      {"/sys/class/net/bond0/bonding/slaves", "ens0 ens1"},
      {"/sys/class/net/bond0/bonding/xmit_hash_policy", "layer3+4 1"},
      {"/sys/class/net/ens0/bonding_slave/mii_status", "up"},
      {"/sys/class/net/ens1/bonding_slave/mii_status", "up"}});
}

inline Snapshot healthy_node(const std::string& name = "node001") {
  Snapshot node{
      .node = name,
      .facts = {{"/proc/self/limits",
                 "Max stack size            8388608              unlimited            bytes\n"
                 "Max open files            1024                 1048576              files\n"
                 "Max locked memory         unlimited            unlimited            bytes"},
                {"/proc/self/status", "CapEff:\t0000000000000000\nCpus_allowed_list:\t0-63"},
                {"/proc/meminfo",
                 "MemTotal:  1056784000 kB\nSwapTotal:  8388604 kB\nSwapFree:  8388604 kB"},
                {"/sys/class/net/eth0/duplex", "full"},
                {"/sys/class/net/eth0/statistics/rx_packets", "1000000"},
                {"/sys/class/net/eth0/statistics/rx_crc_errors", "99"},
                {"/proc/sys/kernel/osrelease", "6.1.0-22-amd64"},
                {"/proc/sys/kernel/numa_balancing", "0"},
                {"/proc/sys/net/ipv4/conf/all/rp_filter", "0"},
                {"/proc/sys/net/ipv4/conf/ens0/rp_filter", "2"},
                {"/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456"},
                {"/proc/sys/net/ipv4/tcp_wmem", "4096\t131072\t67108864"},
                {"/proc/modules", "mlx5_core nvidia nvidia_peermem"},
                {"/proc/net/snmp", "123456789 4321"},
                {"kernel log", "readable"},
                {"tc", "asked"},
                {"nft input", "accept"},
                {"address ens0", "IPv4"},
                {"call get_mempolicy", "allowed"},
                {"nvidia-p2p", "asked"},
                {"dcgmi", "asked"},
                {"nv-fabricmanager", "550.90.07"},
                {"access /dev/nvidia-caps-imex-channels", "read and write"},
                {"/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX  550.90.07"},
                {"/sys/class/net/ens0/speed", "400000"},
                {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc"},
                {"/sys/devices/system/node/online", "0-1"},
                {"/sys/devices/system/cpu/*/cpufreq/scaling_governor", "performance"},
                {"/sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2"},
                {"access /dev/infiniband/uverbs0", "read and write"},
                {"access /dev/nvidiactl", "read and write"},
                {"access /dev/nvidia-uvm", "read and write"},
                {"size /dev/shm", "540000000000"},
                {"free /dev/shm", "530000000000"},
                {"virtual machine", "no"}}};
  add_gpu(node, "0000:18:00.0");
  add_gpu(node, "0000:2a:00.0");
  add_port(node, 0);
  add_port(node, 1);
  add_settings(node);
  node.facts["/sys/bus/pci/devices/0000:10:00.0/class"] = "0x060400";
  node.facts["pcie /sys/bus/pci/devices/0000:10:00.0"] =
      "acs=0x0 port=6 read_request=128 relaxed=1";
  node.facts["cgroup cpu.max"] = "64";
  return node;
}

}  // namespace linerate::node
