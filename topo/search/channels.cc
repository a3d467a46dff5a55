#include "topo/search/channels.h"

#include "topo/search/search_topology.h"

#include <algorithm>

namespace linerate::topo {
namespace {

int max_channels(const NcclVersion& version) { return search_rules(version).max_channels; }

// From compute capability 9 on, as of 2.25; before, 9.0 alone.
bool is_fast_gpu(const ChannelCount& count) {
  return count.version >= NcclVersion{2, 25, 0} ? count.sm >= kHopperSm : count.sm == kHopperSm;
}

// What several nodes of NVLink add: four channels for one that was found, where they are few.
int for_several_nodes(int channels, const ChannelCount& count) {
  constexpr double kFastRing = 45;
  constexpr int kFew = 16;
  const bool by_few = count.version >= NcclVersion{2, 20, 0};
  const bool may_double = by_few ? channels < kFew : 2 * channels <= max_channels(count.version);
  return is_fast_gpu(count) && count.multi_node() && count.ring_gbps > kFastRing && may_double
             ? 2 * channels
             : channels;
}

// ncclNvlsTreeSm100Tuning: as many as the NICs keep busy.
int blackwell_channels_between_nodes(const ChannelCount& count) {
  constexpr int kFew = 24, kMany = 32, kSmallNode = 8;
  constexpr double kFastNic = 48, kVeryFastNic = 96;
  if (count.nnodes == 2 || count.nic_gbps < kFastNic) return kMany;
  if (count.nic_gbps >= kVeryFastNic) return count.node_gpus <= kSmallNode ? kFew : kMany;
  return kFew;
}

int default_nvls_channels(const ChannelCount& count) {
  constexpr int kOfHopper = 16, kOfBlackwell = 32, kOfBlackwellAlone = 24;
  if (count.sm < kBlackwellSm || count.version < NcclVersion{2, 25, 0}) return kOfHopper;
  if (count.multi_node() && count.version >= NcclVersion{2, 30, 0})
    return blackwell_channels_between_nodes(count);
  return count.multi_node() || count.version < NcclVersion{2, 27, 0} ? kOfBlackwell
                                                                     : kOfBlackwellAlone;
}

}  // namespace

int coll_channels(const ChannelCount& count) {
  const int most = max_channels(count.version);
  const int own = std::clamp(for_several_nodes(std::min(2 * count.found, most), count), 1, most);
  const int few = std::min({own, count.asked.max_channels, count.asked.max_ctas});
  return std::max({few, count.asked.min_channels, count.asked.min_ctas});
}

int nvls_channels(const ChannelCount& count) {
  return std::max(count.asked.min_ctas,
                  std::min(count.asked.max_ctas, default_nvls_channels(count)));
}

int open_channels(const NodeChannels& found, const NcclVersion& version) {
  const bool with_nvls = version >= NcclVersion{2, 20, 0} && version < NcclVersion{2, 28, 0};
  return with_nvls ? std::max(found.coll_channels, found.nvls_channels) : found.coll_channels;
}

void count_channels(NodeChannels& found, ChannelCount job) {
  const auto fewest = std::min(found.ring.channels.size(), found.tree.channels.size());
  found.ring.channels.resize(fewest);
  found.tree.channels.resize(fewest);
  job.found = static_cast<int>(fewest);
  job.ring_gbps = found.ring.intra_gbps;
  const bool with_nvls = found.nvls.nchannels() > 0;
  found.coll_channels = coll_channels(job);
  found.nvls_channels = with_nvls ? nvls_channels(job) : 0;
  job.asked = {};
  found.own_coll_channels = coll_channels(job);
  found.own_nvls_channels = with_nvls ? nvls_channels(job) : 0;
}

NodeChannels find_node_channels(const Graph& graph, const Paths& paths, bool multi_node,
                                const ChannelSettings& asked) {
  constexpr int kSeveral = 3;
  const SearchTopology topology(graph, paths, multi_node);
  const int most = max_channels(graph.version());
  NodeChannels found;
  found.ring = search_channels(topology, Pattern::ring, {.max_channels = most / 2});
  const int rings = found.ring.nchannels();
  found.tree = search_channels(topology, Pattern::balanced_tree,
                               {.min_channels = rings, .max_channels = rings});
  found.nic_gbps = topology.slowest_net_gbps();
  if (asked.nvls) found.nvls = search_channels(topology, Pattern::nvls, {.max_channels = most});
  count_channels(found, {.version = graph.version(),
                         .sm = topology.sm(),
                         .nnodes = multi_node ? kSeveral : 1,
                         .node_gpus = topology.gpus(),
                         .nic_gbps = found.nic_gbps,
                         .asked = asked});
  return found;
}

}  // namespace linerate::topo
