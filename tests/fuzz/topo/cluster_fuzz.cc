// A cluster file of any bytes: nodes that can be asked for, or a sentence.
#include "topo/cluster/cluster.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using linerate::Failure;
  using linerate::Result;
  using linerate::topo::System;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto load = [](const std::string& path) -> Result<System> {
    return path.empty() ? Result<System>(Failure{"It has no name."}) : System{.name = path};
  };
  const auto detect = []() -> Result<System> { return System{.name = "here"}; };
  const auto cluster = linerate::topo::parse_cluster(text, {.load = load, .detect = detect});
  if (!cluster) return cluster.sentence().empty() ? (std::abort(), 0) : 0;
  const int nodes = cluster->nnodes();
  if (nodes < 1 || nodes > linerate::topo::Cluster::kMaxNodes) std::abort();
  if (cluster->rack_of_node(nodes - 1) < 0) std::abort();
  for (const auto& group : cluster->groups) (void)group.system->name.size();
  return 0;
}
