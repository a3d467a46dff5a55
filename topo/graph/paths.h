// The way that NCCL takes between two devices, and its narrowest link.
#pragma once

#include "topo/graph/graph.h"
#include "topo/graph/path_type.h"

#include <vector>

namespace linerate::topo {

struct Hop {
  int from = 0, to = 0;  // nodes
  LinkKind kind = LinkKind::loc;
  double gbps = 0;

  bool operator==(const Hop&) const = default;
};

struct Path {
  PathType type = PathType::dis;
  double gbps = 0;  // of its narrowest hop, less what NCCL takes off for the way
  std::vector<Hop> hops{};

  bool operator==(const Path&) const = default;
};

// Paths from every GPU and NIC port to every node, and from every node to them. The graph outlives
// it.
class Paths {
 public:
  explicit Paths(const Graph& graph);

  // REQUIRES: from or to is a gpu, net or nvs node.
  const Path& between(int from, int to) const;
  // The hop that bounds the path; null where it has none.
  static const Hop* narrowest(const Path& path);

 private:
  const Graph& graph_;
  std::vector<std::vector<Path>> from_;  // [node][node]
};

}  // namespace linerate::topo
