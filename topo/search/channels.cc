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

int within_limits(int channels, const ChannelCount& count) {
  const int most = std::min(count.max_ctas, max_channels(count.version));
  return std::max(std::min(channels, most), count.min_ctas);
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

void keep(ChannelSet& set, int channels) {
  if (set.nchannels() > channels) set.channels.resize(static_cast<std::size_t>(channels));
}

ChannelCount count_of(const SearchTopology& topology, const NodeChannels& found,
                      const ChannelJob& job) {
  const auto& chain = found.collnet_chain;
  return {.version = topology.graph().version(),
          .found = std::min(found.ring.nchannels(), found.tree.nchannels()),
          .sm = topology.sm(),
          .gpus = topology.gpus(),
          .multi_node = job.multi_node,
          .ring_gbps = found.ring.intra_gbps,
          .widens_chain = chain.nchannels() > 0 && chain.intra_gbps > chain.inter_gbps,
          .min_ctas = job.min_ctas,
          .max_ctas = job.max_ctas};
}

void find_collnet(const SearchTopology& topology, SearchLimits limits, NodeChannels& found) {
  limits.collnet = true;
  limits.min_channels = limits.max_channels = found.ring.nchannels();
  found.collnet_chain = search_channels(topology, Pattern::tree, limits);
  limits.min_channels = 1;
  limits.max_channels = topology.rules().max_channels;
  if (topology.graph().version() >= NcclVersion{2, 22, 0})
    found.collnet_direct = search_channels(topology, Pattern::collnet_direct, limits);
}

}  // namespace

int coll_channels(const ChannelCount& count) {
  int channels = std::min(2 * count.found, max_channels(count.version));
  if (count.widens_chain && count.gpus > 1)
    channels = std::min(channels + channels / 2, max_channels(count.version));
  return within_limits(for_several_nodes(channels, count), count);
}

int nvls_channels(const ChannelCount& count) {
  constexpr int kHopper = 16, kBlackwell = 32, kBlackwellAlone = 24;
  int channels = kHopper;
  if (count.sm >= kBlackwellGpu && count.version >= NcclVersion{2, 25, 0})
    channels =
        count.multi_node || count.version < NcclVersion{2, 27, 0} ? kBlackwell : kBlackwellAlone;
  return std::max(count.min_ctas, std::min(count.max_ctas, channels));
}

NodeChannels find_node_channels(const Graph& graph, const Paths& paths, const ChannelJob& job) {
  const SearchTopology topology(graph, paths, job.multi_node);
  NodeChannels found;
  SearchLimits limits{.multi_node = job.multi_node,
                      .max_channels = max_channels(graph.version()) / 2,
                      .cross_nic = job.cross_nic};
  found.ring = search_channels(topology, Pattern::ring, limits);
  limits.min_channels = limits.max_channels = found.ring.nchannels();
  found.tree = search_channels(topology, Pattern::balanced_tree, limits);
  if (job.collnet && job.multi_node) find_collnet(topology, limits, found);
  limits.min_channels = 1;
  limits.max_channels = max_channels(graph.version());
  if (job.nvls) found.nvls = search_channels(topology, Pattern::nvls, limits);
  const auto count = count_of(topology, found, job);
  keep(found.ring, count.found);  // trees have no more: rings limit them
  found.coll_channels = coll_channels(count);
  found.nvls_channels = found.nvls.nchannels() > 0 ? nvls_channels(count) : 0;
  return found;
}

}  // namespace linerate::topo
