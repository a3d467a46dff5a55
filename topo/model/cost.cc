#include "topo/model/cost.h"

#include "topo/model/bandwidth.h"
#include "topo/model/latency.h"

namespace linerate::topo {
namespace {

constexpr NcclVersion kMixedHoppers{2, 30, 0};  // LL128 between GPUs of several generations

// LL128 needs 128 bytes to arrive whole: NVLink within the node, and a near NIC.
bool ll128_is_safe(const JobShape& job, const ChannelSet& set) {
  constexpr int kMinSm = 70;
  const bool hopper = generation_of(job.min_sm) >= Generation::hopper;
  const bool alike = job.min_sm == job.max_sm || (hopper && job.version >= kMixedHoppers);
  const auto farthest = hopper ? PathType::pxn : PathType::pxb;
  return alike && job.min_sm >= kMinSm && !nearer(PathType::nvb, set.intra_type, job.version) &&
         !nearer(farthest, set.inter_type, job.version);
}

// Limits that NCCL looks at when a call is made (src/enqueue.cc, updateCollCostTable).
bool fits_node(const JobShape& job, const Scheme& scheme) {
  constexpr double kMaxCollnetRanks = 8, kMaxNvlsRanks = 32;
  switch (scheme.algorithm) {
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
      return job.most_ranks_of_a_node() <= kMaxCollnetRanks;
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return scheme.function == Function::all_reduce || job.most_ranks_of_a_node() <= kMaxNvlsRanks;
    case Algorithm::tree:
    case Algorithm::ring:
    case Algorithm::pat:
      return true;
  }
  __builtin_unreachable();
}

Cost cost_of(const JobShape& job, const ModelConstants& constants, const Scheme& scheme) {
  if (!fits_node(job, scheme)) return {};
  if (scheme.protocol == Protocol::ll128 && !ll128_is_safe(job, job.of(scheme.algorithm)))
    return {};
  const double algbw = algorithm_bandwidth_gbps(job, constants, scheme);
  if (algbw <= 0) return {};
  return {.latency_us = latency_us(job, constants, scheme), .algbw_gbps = algbw};
}

}  // namespace

CostTable::CostTable(const JobShape& job) {
  auto constants = constants_of(job.version);
  if (job.cpu == CpuKind::power) {  // trees are favoured there
    auto& pci = constants.hardware_us[index_of(Hardware::pci)];
    constexpr auto kSimple = index_of(Protocol::simple);
    pci[index_of(Algorithm::tree)][kSimple] = pci[index_of(Algorithm::ring)][kSimple];
  }
  for (const auto function : kAllFunctions)
    for (const auto algorithm : kAllAlgorithms)
      for (const auto protocol : kAllProtocols)
        costs_[index_of(function)][index_of(algorithm)][index_of(protocol)] =
            cost_of(job, constants, {function, algorithm, protocol});
}

}  // namespace linerate::topo
