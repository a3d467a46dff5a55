// What a snapshot takes beside files: parts of take_snapshot().
#pragma once

#include "diagnose/node/node.h"

#include <filesystem>

namespace linerate::node {

// Sets the topology, or the fact "topology" that says why there is none: "took more than 30 s".
void add_topology(Snapshot& snapshot, const std::filesystem::path& root);

// Adds what the kernel's log, addresses and programs tell. `now_us` since the start.
void add_asked(Snapshot& snapshot, const std::filesystem::path& root, double now_us);

// Adds what /etc says of logind, and of the address of the hostname.
void add_configured(Snapshot& snapshot, const std::filesystem::path& root);

// Of their texts, which may be any: records of /dev/kmsg, `tc qdisc show`, `nft list ruleset`.
void add_kernel_events(Snapshot& snapshot, std::string_view log, double now_us);
void add_shaping(Snapshot& snapshot, std::string_view qdiscs);
void add_firewall(Snapshot& snapshot, std::string_view ruleset);

// Of nvidia-smi's texts, which may be any. `nvidia-smi -q -x`: facts "nvidia-smi 0000:18:00.0
// fabric.state", by the names of its elements. Yields the places of the GPUs, in its order, by
// which the others count: `nvidia-smi nvlink -e` ("nvidia-smi 0000:18:00.0 nvlink.crc_errors", of
// all links together), `nvidia-smi topo -p2p r` ("nvidia-p2p 0000:18:00.0 0000:2a:00.0": why not).
std::vector<std::string> add_gpu_states(Snapshot& snapshot, std::string_view xml);
void add_nvlink_errors(Snapshot& snapshot, std::span<const std::string> gpus,
                       std::string_view counters);
void add_peer_access(Snapshot& snapshot, std::span<const std::string> gpus,
                     std::string_view matrix);

// Of texts of other tools, which may be any. `ethtool -S INTERFACE`: "ethtool ens0 rx_prio3_pause",
// of counters of pauses and drops that are not 0. `mlxlink -d DEVICE -c`: "mlxlink mlx5_0
// effective_ber". `dcgmi diag -r 1 -j`: "dcgmi 1 fail", the test and what it says.
void add_interface_counters(Snapshot& snapshot, std::string_view interface,
                            std::string_view counters);
void add_link_quality(Snapshot& snapshot, std::string_view device, std::string_view told);
void add_diagnosis(Snapshot& snapshot, std::string_view told);

}  // namespace linerate::node
