// See job.h.
#include "topo/model/job.h"

#include "topo/graph/paths.h"

#include <algorithm>
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

// Which set each algorithm takes (src/init.cc): the tree of NVLS is made of its channels, and PAT
// runs on trees.
void assign_channels(const NodeChannels& found, JobShape& job) {
  const auto assign = [&](Algorithm algorithm, const ChannelSet& set) {
    job.channels[index_of(algorithm)] = set;
  };
  assign(Algorithm::ring, found.ring);
  assign(Algorithm::tree, found.tree);
  assign(Algorithm::pat, found.tree);
  assign(Algorithm::nvls, found.nvls);
  assign(Algorithm::nvls_tree, found.nvls);
  assign(Algorithm::collnet_chain, found.collnet_chain);
  assign(Algorithm::collnet_direct, found.collnet_direct);
  job.coll_channels = found.coll_channels;
  job.nvls_channels = found.nvls_channels;
}

}  // namespace

JobShape job_of(const Graph& graph, const JobOptions& options) {
  const auto gpus = graph.of(NodeKind::gpu);
  const auto sms = gpus | std::views::transform([&](int n) { return graph.node(n).gpu->sm; });
  const auto [min_sm, max_sm] = std::ranges::minmax(sms);
  JobShape job{.version = graph.version(),
               .nranks = static_cast<int>(gpus.size()) * options.nnodes,
               .nnodes = options.nnodes,
               .min_sm = min_sm,
               .max_sm = max_sm,
               .cpu = cpu_kind(graph.system()),
               .nvswitch = !graph.of(NodeKind::nvs).empty(),
               .collnet = options.collnet && options.nnodes > 1,
               .collnet_heads = nics_with_collectives(graph)};
  const Paths paths(graph);
  assign_channels(find_node_channels(graph, paths,
                                     {.multi_node = options.nnodes > 1,
                                      .collnet = job.collnet,
                                      .nvls = options.nvls,
                                      .cross_nic = options.cross_nic,
                                      .min_ctas = options.min_ctas,
                                      .max_ctas = options.max_ctas}),
                  job);
  job.nvls = job.nvswitch && job.of(Algorithm::nvls).nchannels() > 0;
  return job;
}

}  // namespace linerate::topo
