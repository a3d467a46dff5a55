// What the checks of checks.cc look at, and what they share.
#pragma once

#include "diagnose/node/node.h"

namespace linerate::node {

inline constexpr std::string_view kPci = "/sys/bus/pci/devices/";

// Whose facts begin with `path`.
struct PciFact {
  std::string path{};   // "/sys/bus/pci/devices/0000:5e:00.0"
  std::string name{};   // "GPU 0000:5e:00.0", "mlx5_0 at 0000:5e:00.0"
  bool is_gpu = false;  // of a data centre, or another accelerator; else an RDMA NIC
};
// What jobs run on: accelerators without a display, and NICs with RDMA.
std::vector<PciFact> job_devices(const Snapshot& snapshot);

// The text behind "key:" of a fact with lines, without blanks; empty: none.
std::string line_of(const Snapshot& snapshot, std::string_view fact, std::string_view key);

namespace needs {
bool rdma(const Snapshot& snapshot);
bool active_rdma(const Snapshot& snapshot);
bool active_roce(const Snapshot& snapshot);
bool compute_gpu(const Snapshot& snapshot);
bool job_devices(const Snapshot& snapshot);  // GPUs of data centres or RDMA
bool several_job_devices(const Snapshot& snapshot);
bool bare_metal_peers(const Snapshot& snapshot);  // several, and no virtual machine
bool several_numa_nodes(const Snapshot& snapshot);
bool nvidia(const Snapshot& snapshot);
bool several_nvidia(const Snapshot& snapshot);  // that nvidia-smi shows
bool nvlinks_between_nodes(const Snapshot& snapshot);
bool efa(const Snapshot& snapshot);
bool cpu_quota(const Snapshot& snapshot);
bool set_frequencies(const Snapshot& snapshot);  // by Linux, of a node with job devices
bool idle_states(const Snapshot& snapshot);      // likewise
bool pci_error_counts(const Snapshot& snapshot);
bool ethernet_only(const Snapshot& snapshot);
bool memory_limit(const Snapshot& snapshot);
bool bond(const Snapshot& snapshot);
bool own_address_in_job(const Snapshot& snapshot);
bool systemd_of_job(const Snapshot& snapshot);
bool gpudirect(const Snapshot& snapshot);  // NVIDIA's GPUs and an active RDMA port
}  // namespace needs

namespace looks {
using Limits = Thresholds;
// checks_host.cc
std::vector<Seen> shm_size(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> shm_full(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> open_files(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> stack_limit(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> cpu_quota(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> clock_source(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> governor(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> idle_states(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> numa_balancing(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> swap_used(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> far_cpus(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> socket_buffers(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> hostname(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> hostname_address(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> low_memory(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> memory_limit(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> remove_ipc(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> numa_calls(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> huge_pages(const Snapshot& snapshot, const Limits& limits);
// checks_net.cc
std::vector<Seen> half_duplex(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> interface_errors(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> bond_hash(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> bond_leg(const Snapshot& snapshot, const Limits& limits);
// checks_rdma.cc
std::vector<Seen> memlock(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> verbs_access(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> verbs_missing(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> port_init(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> mixed_links(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> roce_mtu(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> roce_gid(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> port_counters(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> link_flaps(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> rp_filter(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> same_network(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> partition_key(const Snapshot& snapshot, const Limits& limits);
// checks_pci.cc
std::vector<Seen> acs(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> iommu(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> small_bar(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> read_request(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> pci_errors(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> nvidia_devices(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> relaxed_ordering(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> peer_memory(const Snapshot& snapshot, const Limits& limits);
// checks_state.cc
std::vector<Seen> gpu_xid(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> killed_for_memory(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> driver_hangs(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> firewall(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> shaping(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> tcp_losses(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> stray_interfaces(const Snapshot& snapshot, const Limits& limits);
// checks_gpu.cc
std::vector<Seen> gpu_memory(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_throttled(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_settings(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_fabric(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_recovery(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_vbios(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_link(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> nvlink_errors(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_peers(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> imex_channel(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_in_use(const Snapshot& snapshot, const Limits& limits);
// checks_vendor.cc
std::vector<Seen> congestion(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> pause_frames(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> link_quality(const Snapshot& snapshot, const Limits& limits);
std::vector<Seen> gpu_diagnosis(const Snapshot& snapshot, const Limits& limits);
}  // namespace looks

}  // namespace linerate::node
