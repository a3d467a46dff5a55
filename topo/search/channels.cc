#include "topo/search/channels.h"

#include "topo/search/search_topology.h"

#include <algorithm>

namespace linerate::topo {
namespace {

constexpr int kHopperGpu = 90, kBlackwellGpu = 100;

int max_channels(const NcclVersion& version) { return search_rules(version).max_channels; }

// From compute capability 9 on, as of 2.26; before, 9.0 alone.
bool is_fast_gpu(const ChannelCount& count) {
  return count.version >= NcclVersion{2, 26, 0} ? count.sm >= kHopperGpu : count.sm == kHopperGpu;
}

// What several nodes of NVLink add: four channels for one that was found, where they are few.
int for_several_nodes(int channels, const ChannelCount& count) {
  constexpr double kFastRing = 45;
  constexpr int kFew = 16;
  const bool by_few = count.version >= NcclVersion{2, 20, 0};
  const bool may_double = by_few ? channels < kFew : 2 * channels <= max_channels(count.version);
  return is_fast_gpu(count) && count.multi_node && count.ring_gbps > kFastRing && may_double
             ? 2 * channels
             : channels;
}

}  // namespace

int coll_channels(const ChannelCount& count) {
  const int most = max_channels(count.version);
  return std::clamp(for_several_nodes(std::min(2 * count.found, most), count), 1, most);
}

int nvls_channels(const ChannelCount& count) {
  constexpr int kHopper = 16, kBlackwell = 32, kBlackwellAlone = 24;
  if (count.sm < kBlackwellGpu || count.version < NcclVersion{2, 25, 0}) return kHopper;
  return count.multi_node || count.version < NcclVersion{2, 27, 0} ? kBlackwell : kBlackwellAlone;
}

void count_channels(NodeChannels& found, const NcclVersion& version, int sm, bool multi_node) {
  const auto fewest = std::min(found.ring.channels.size(), found.tree.channels.size());
  found.ring.channels.resize(fewest);
  found.tree.channels.resize(fewest);
  const ChannelCount count{.version = version,
                           .found = static_cast<int>(fewest),
                           .sm = sm,
                           .multi_node = multi_node,
                           .ring_gbps = found.ring.intra_gbps};
  found.coll_channels = coll_channels(count);
  found.nvls_channels = found.nvls.nchannels() > 0 ? nvls_channels(count) : 0;
}

NodeChannels find_node_channels(const Graph& graph, const Paths& paths, bool multi_node) {
  const SearchTopology topology(graph, paths, multi_node);
  const int most = max_channels(graph.version());
  NodeChannels found;
  found.ring = search_channels(topology, Pattern::ring, {.max_channels = most / 2});
  const int rings = found.ring.nchannels();
  found.tree = search_channels(topology, Pattern::balanced_tree,
                               {.min_channels = rings, .max_channels = rings});
  found.nvls = search_channels(topology, Pattern::nvls, {.max_channels = most});
  count_channels(found, graph.version(), topology.sm(), multi_node);
  return found;
}

}  // namespace linerate::topo
