#include "topo/model/job.h"

#include "topo/graph/paths.h"

#include <algorithm>
#include <cassert>
#include <ranges>

namespace linerate::topo {
namespace {

CpuKind kind_of(const Cpu& cpu) {
  if (cpu.arch == CpuArch::ppc64) return CpuKind::power;
  if (cpu.arch != CpuArch::x86_64) return CpuKind::other;
  if (cpu.vendor == "GenuineIntel") return CpuKind::intel;
  return cpu.vendor == "AuthenticAMD" ? CpuKind::amd : CpuKind::other;
}

CpuKind cpu_kind(const System& system) {
  if (system.cpus.empty()) return CpuKind::other;
  const auto first = kind_of(system.cpus.front());
  const bool alike =
      std::ranges::all_of(system.cpus, [&](const Cpu& cpu) { return kind_of(cpu) == first; });
  return alike ? first : CpuKind::mixed;
}

int nics_with_collectives(const Graph& graph) {
  return static_cast<int>(std::ranges::count_if(graph.of(NodeKind::net),
                                                [&](int n) { return graph.node(n).net->coll; }));
}

PathType farthest_of(PathType a, PathType b, const NcclVersion& version) {
  return nearer(a, b, version) ? b : a;
}

// What ranks of both sides can do.
void narrow(ChannelSet& set, const ChannelSet& by, const NcclVersion& version) {
  if (by.nchannels() < set.nchannels()) set.channels.resize(by.channels.size());
  set.pattern = std::max(set.pattern, by.pattern);  // of trees, the simplest one
  set.intra_gbps = std::min(set.intra_gbps, by.intra_gbps);
  set.inter_gbps = std::min(set.inter_gbps, by.inter_gbps);
  set.intra_type = farthest_of(set.intra_type, by.intra_type, version);
  set.inter_type = farthest_of(set.inter_type, by.inter_type, version);
  set.same_channels = set.same_channels && by.same_channels;
  set.cross_nic = std::max(set.cross_nic, by.cross_nic);
  set.simple_order = set.simple_order || by.simple_order;
}

void narrow(NodeChannels& found, const NodeChannels& by, const NcclVersion& version) {
  narrow(found.ring, by.ring, version);
  narrow(found.tree, by.tree, version);
  narrow(found.nvls, by.nvls, version);
  narrow(found.collnet_chain, by.collnet_chain, version);
  narrow(found.collnet_direct, by.collnet_direct, version);
}

void narrow(NodeFacts& facts, const NodeFacts& by) {
  facts.gpus = std::max(facts.gpus, by.gpus);
  facts.min_sm = std::min(facts.min_sm, by.min_sm);
  facts.max_sm = std::max(facts.max_sm, by.max_sm);
  if (facts.cpu != by.cpu) facts.cpu = CpuKind::mixed;
  facts.nvswitch = facts.nvswitch && by.nvswitch;
  facts.collnet_heads = std::min(facts.collnet_heads, by.collnet_heads);
  narrow(facts.channels, by.channels, facts.version);
}

// Rings and trees have as many channels as the fewer of them; all that runs on them follows.
void count_again(NodeFacts& facts, const JobOptions& options) {
  NodeChannels& found = facts.channels;
  const auto fewest = std::min(found.ring.channels.size(), found.tree.channels.size());
  found.ring.channels.resize(fewest);
  found.tree.channels.resize(fewest);
  const auto& chain = found.collnet_chain;
  const ChannelCount count{
      .version = facts.version,
      .found = static_cast<int>(fewest),
      .sm = facts.min_sm,
      .gpus = facts.gpus,
      .multi_node = true,
      .ring_gbps = found.ring.intra_gbps,
      .widens_chain = chain.nchannels() > 0 && chain.intra_gbps > chain.inter_gbps,
      .min_ctas = options.min_ctas,
      .max_ctas = options.max_ctas};
  found.coll_channels = coll_channels(count);
  found.nvls_channels = found.nvls.nchannels() > 0 ? nvls_channels(count) : 0;
}

// What all nodes can do; how many there are is not part of it.
JobShape shape_of(const NodeFacts& common) {
  return {.version = common.version,
          .nranks = 0,
          .nnodes = 0,
          .max_local_ranks = common.gpus,
          .min_sm = common.min_sm,
          .max_sm = common.max_sm,
          .cpu = common.cpu,
          .nvswitch = common.nvswitch,
          .collnet_heads = common.collnet_heads,
          .coll_channels = common.channels.coll_channels,
          .nvls_channels = common.channels.nvls_channels};
}

}  // namespace

// As src/init.cc has it: the tree of NVLS is made of its channels, and PAT runs on trees.
const ChannelSet& channels_of(const NodeChannels& found, Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::ring:
      return found.ring;
    case Algorithm::tree:
    case Algorithm::pat:
      return found.tree;
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return found.nvls;
    case Algorithm::collnet_chain:
      return found.collnet_chain;
    case Algorithm::collnet_direct:
      return found.collnet_direct;
  }
  __builtin_unreachable();
}

NodeFacts facts_of(const Graph& graph, const JobOptions& options) {
  const auto gpus = graph.of(NodeKind::gpu);
  const auto sms = gpus | std::views::transform([&](int n) { return graph.node(n).gpu->sm; });
  const auto [min_sm, max_sm] = std::ranges::minmax(sms);
  const bool multi_node = options.nnodes > 1;
  return {.version = graph.version(),
          .gpus = static_cast<int>(gpus.size()),
          .nets = static_cast<int>(graph.of(NodeKind::net).size()),
          .min_sm = min_sm,
          .max_sm = max_sm,
          .cpu = cpu_kind(graph.system()),
          .nvswitch = !graph.of(NodeKind::nvs).empty(),
          .collnet_heads = nics_with_collectives(graph),
          .channels = find_node_channels(graph, Paths(graph),
                                         {.multi_node = multi_node,
                                          .collnet = options.collnet && multi_node,
                                          .nvls = options.nvls,
                                          .cross_nic = options.cross_nic,
                                          .min_ctas = options.min_ctas,
                                          .max_ctas = options.max_ctas})};
}

JobShape job_of(std::span<const IdenticalNodes> nodes, const JobOptions& options) {
  assert(!nodes.empty());
  NodeFacts common = *nodes.front().facts;
  for (const auto& others : nodes.subspan(1)) narrow(common, *others.facts);
  if (nodes.size() > 1) count_again(common, options);
  JobShape job = shape_of(common);
  for (const auto& alike : nodes) {
    job.nnodes += alike.count;
    job.nranks += alike.count * alike.facts->gpus;
  }
  job.collnet = options.collnet && job.nnodes > 1;
  for (const auto algorithm : kAllAlgorithms)
    job.channels[index_of(algorithm)] = channels_of(common.channels, algorithm);
  job.nvls = job.nvswitch && job.of(Algorithm::nvls).nchannels() > 0;
  return job;
}

JobShape job_of(const Graph& graph, const JobOptions& options) {
  const auto facts = facts_of(graph, options);
  const IdenticalNodes alike{.facts = &facts, .count = options.nnodes};
  return job_of(std::span(&alike, 1), options);
}

}  // namespace linerate::topo
