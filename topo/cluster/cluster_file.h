// Reads a cluster from YAML.
#pragma once

#include "base/result.h"
#include "topo/cluster/cluster.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace linerate::topo {

inline constexpr std::size_t kMaxClusterBytes = std::size_t{64} << 10;

// Where nodes that are not built in come from; each is asked once for each topology.
struct TopologySources {
  std::function<Result<System>(const std::string& path)> load;  // an XML file of NCCL
  std::function<Result<System>()> detect;                       // this machine
};

// name: west
// nodes:
//   - {topology: dgx-h100, count: 64}   # a built-in platform, or `detected`
//   - {file: odd.xml}                   # NCCL's topology XML; relative to the cluster's file
// rails: 8
// rack: {nodes: 32, oversubscription: 2, latency: 1 us}
// spine: {oversubscription: 1.5, latency: 1 us}
//
// Strict: unknown and repeated keys, missing units and values out of their range are refused by
// what goes on behind the file's name: ", line 3: ...". `nodes` alone is needed.
Result<Cluster> parse_cluster(std::string_view text, const TopologySources& sources);

// The same of a file, in one sentence that names it; `detect` as in TopologySources.
Result<Cluster> read_cluster(const std::string& path,
                             const std::function<Result<System>()>& detect);

}  // namespace linerate::topo
