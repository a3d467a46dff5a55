// The channels of a file that NCCL wrote (NCCL_GRAPH_DUMP_FILE) or is to read (NCCL_GRAPH_FILE).
#pragma once

#include "base/result.h"
#include "topo/graph/rules.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// A GPU by NVML's number or a NIC port by NCCL's, on one of several hosts.
struct DumpedDevice {
  int dev = 0;
  int host = 0;

  bool operator==(const DumpedDevice&) const = default;
};

struct DumpedChannel {
  std::vector<DumpedDevice> gpus{};  // in the order of the pattern; of NVLS the head alone
  std::vector<int> ranks{};          // of the GPUs; empty where one is not told
  std::vector<DumpedDevice> nets{};  // in and out; none within a node
};

// <graph>: what NCCL found for one pattern.
struct DumpedGraph {
  int id = 0;       // 0 ring, 1 tree, 2 and 4 CollNet, 3 NVLS
  int pattern = 0;  // as NCCL numbers them: topo/search/channels.h, 2 split tree, 6 CollNet direct
  int cross_nic = 0;
  double intra_gbps = 0, inter_gbps = 0;  // of one channel
  double latency_us = 0;                  // of the NIC
  PathType intra_type = PathType::loc, inter_type = PathType::loc;
  bool same_channels = false;
  std::vector<DumpedChannel> channels{};
};

struct GraphDump {
  std::string source{};  // the file's name, or the machine's
  std::vector<DumpedGraph> graphs{};

  bool multi_node() const;  // channels have NICs
};

// "ring", "tree", "NVLS", "CollNet chain", "CollNet direct", "graph 7".
std::string graph_name(int id);

// Refuses in "NAME:LINE: ..." what NCCL's reader (src/graph/search.cc) needs and is not there,
// numbers that are none, channels whose number is not the one that is told, and more than
// XmlLimits. `name` is the file's.
Result<GraphDump> read_graph_xml(std::string_view text, std::string_view name);

// The same of a file: anything but a regular file of at most 8 MiB is refused.
Result<GraphDump> load_graph_xml(const std::string& path);

}  // namespace linerate::topo
