// The time that the switches of a cluster need for a call, of which NCCL knows nothing.
#pragma once

#include "topo/cluster/fabric_traffic.h"

#include <span>
#include <string>
#include <vector>

namespace linerate::topo {

// GB/s one way, by leaf as in FabricTraffic.
struct FabricLinks {
  std::vector<double> leaf_gbps{};  // up, and as much down
  double spine_gbps = 0;            // of all leaves together
};

// A leaf's uplink has the bandwidth of the NIC ports below it over the rack's oversubscription;
// where fewer nodes stand in a rack than it has places for, the leaf is as large as if it were
// full. The spine passes what all uplinks have over its own oversubscription. Links are full
// duplex, traffic is spread evenly over them, and nobody else is on the network.
// `gbps_of_groups`: of a node of each group, by rail.
FabricLinks links_of(const Cluster& cluster, std::span<const std::vector<double>> gbps_of_groups);

// One scheme on a cluster.
struct FabricLoad {
  double us_per_byte = 0;  // of the call, at the link that needs longest; 0: none is used
  std::string link{};      // "rack 0 uplink", "rack 3 rail 2 downlink", "spine"
  double crossing_us = 0;  // latency of switches on the longest way, in all its messages
};

// The link that needs longest for the traffic, and the latency of the switches on its longest way.
FabricLoad narrowest(const FabricTraffic& traffic, const FabricLinks& links, const Fabric& fabric);

// The narrowest link: its share of the bytes over its bandwidth. A message that passes the spine
// waits for two leaves and the spine; one that does not adds nothing, because the latencies that
// NVIDIA measured for NCCL's model were those of a network with a switch. NICs are left to NCCL's
// model, which knows their speeds: in one rack with one rail nothing changes.
FabricLoad fabric_load(const FabricJob& job, const FabricLinks& links, Function function,
                       Algorithm algorithm);

// Bytes on the wire for each byte of data: LL sends a flag with every 4, LL128 with every 120.
double wire_bytes_per_byte(Protocol protocol);

}  // namespace linerate::topo
