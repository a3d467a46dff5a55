#include "topo/model/job.h"

#include "topo/graph/paths.h"
#include "topo/system/links.h"

#include <algorithm>
#include <cassert>
#include <ranges>

namespace linerate::topo {
namespace {

CpuKind kind_of(const Cpu& cpu) {
  if (is_intel(cpu)) return CpuKind::intel;
  if (is_amd(cpu)) return CpuKind::amd;
  return cpu.arch == CpuArch::ppc64 ? CpuKind::power : CpuKind::other;
}

CpuKind cpu_kind(const System& system) {
  if (system.cpus.empty()) return CpuKind::other;
  const auto first = kind_of(system.cpus.front());
  const bool alike =
      std::ranges::all_of(system.cpus, [&](const Cpu& cpu) { return kind_of(cpu) == first; });
  return alike ? first : CpuKind::mixed;
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

void narrow(NodeFacts& facts, const NodeFacts& by) {
  facts.gpus = std::max(facts.gpus, by.gpus);
  facts.min_sm = std::min(facts.min_sm, by.min_sm);
  facts.max_sm = std::max(facts.max_sm, by.max_sm);
  if (facts.cpu != by.cpu) facts.cpu = CpuKind::mixed;
  facts.nvswitch = facts.nvswitch && by.nvswitch;
  facts.nvlink_gbps = std::min(facts.nvlink_gbps, by.nvlink_gbps);
  narrow(facts.channels.ring, by.channels.ring, facts.version);
  narrow(facts.channels.tree, by.channels.tree, facts.version);
  narrow(facts.channels.nvls, by.channels.nvls, facts.version);
  facts.channels.nic_gbps = std::min(facts.channels.nic_gbps, by.channels.nic_gbps);
}

// What its NVLinks carry, whether this version of NCCL knows them or not.
double all_nvlinks_gbps(const Gpu& gpu) {
  return active_nvlinks(gpu) * nvlink_gbps(gpu, kNewestModelled);
}

int fewest_gpus(std::span<const IdenticalNodes> nodes) {
  return std::ranges::min(nodes, {}, [](const auto& n) { return n.facts->gpus; }).facts->gpus;
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
  }
  __builtin_unreachable();
}

NodeFacts facts_of(const Graph& graph, bool multi_node, const TunerSettings& asked) {
  const auto gpus = graph.of(NodeKind::gpu);
  const auto sms = gpus | std::views::transform([&](int n) { return graph.node(n).gpu->sm; });
  const auto [min_sm, max_sm] = std::ranges::minmax(sms);
  return {.version = graph.version(),
          .gpus = static_cast<int>(gpus.size()),
          .min_sm = min_sm,
          .max_sm = max_sm,
          .cpu = cpu_kind(graph.system()),
          .nvswitch = !graph.of(NodeKind::nvs).empty(),
          .nvlink_gbps = std::ranges::min(gpus | std::views::transform([&](int gpu) {
                                            return all_nvlinks_gbps(*graph.node(gpu).gpu);
                                          })),
          .channels = find_node_channels(graph, Paths(graph), multi_node, asked.channels),
          .asked = asked};
}

JobShape job_of(std::span<const IdenticalNodes> nodes) {
  assert(!nodes.empty());
  JobShape job{*nodes.front().facts, 0, 0};
  for (const auto& others : nodes.subspan(1)) narrow(job, *others.facts);
  for (const auto& alike : nodes) {
    job.nnodes += alike.count;
    job.nranks += alike.count * alike.facts->gpus;
  }
  count_channels(job.channels, {.version = job.version,
                                .sm = job.min_sm,
                                .nnodes = job.nnodes,
                                .node_gpus = fewest_gpus(nodes),
                                .nic_gbps = job.channels.nic_gbps,
                                .asked = job.asked.channels});
  return job;
}

JobShape job_of(const Graph& graph, int nnodes, const TunerSettings& asked) {
  const auto facts = facts_of(graph, nnodes > 1, asked);
  const IdenticalNodes alike{.facts = &facts, .count = nnodes};
  return job_of(std::span(&alike, 1));
}

}  // namespace linerate::topo
