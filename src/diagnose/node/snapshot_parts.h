// What a snapshot takes beside files: parts of take_snapshot().
#pragma once

#include "diagnose/node/node.h"

#include <filesystem>

namespace linerate::node {

// Sets the topology, or the fact "topology" that says why there is none: "took more than 30 s".
void add_topology(Snapshot& snapshot, const std::filesystem::path& root);

// Adds what the kernel's log, addresses, tc, nft and nvidia-smi tell. `now_us` since the start.
void add_asked(Snapshot& snapshot, const std::filesystem::path& root, double now_us);

// Adds what /etc says of logind, and of the address of the hostname.
void add_configured(Snapshot& snapshot, const std::filesystem::path& root);

// Of their texts, which may be any: records of /dev/kmsg, CSV of nvidia-smi with these fields, `tc
// qdisc show`, `nft list ruleset`.
void add_kernel_events(Snapshot& snapshot, std::string_view log, double now_us);
void add_gpu_states(Snapshot& snapshot, std::string_view fields, std::string_view csv);
void add_shaping(Snapshot& snapshot, std::string_view qdiscs);
void add_firewall(Snapshot& snapshot, std::string_view ruleset);

}  // namespace linerate::node
