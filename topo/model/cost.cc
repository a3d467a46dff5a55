// Every rule is one of src/graph/tuning.cc of NCCL; versions name where it changed.
#include "topo/model/cost.h"

#include <algorithm>
#include <bit>

namespace linerate::topo {
namespace {

constexpr NcclVersion kInterStepsRule{2, 23, 0};  // a ring crosses the network once less than nodes
constexpr NcclVersion kNvlsStepsRule{2, 19, 0};

int log2_of(int value) { return std::bit_width(static_cast<unsigned>(value)) - 1; }

class LatencyRules {
 public:
  LatencyRules(const JobShape& job, const ModelConstants& constants, const Scheme& scheme)
      : job_(job), constants_(constants), scheme_(scheme), set_(job.of(scheme.algorithm)) {}

  double latency_us() const;

 private:
  double hardware_us(Hardware hardware, Algorithm algorithm) const {
    return constants_
        .hardware_us[index_of(hardware)][index_of(algorithm)][index_of(scheme_.protocol)];
  }
  Hardware inside() const {
    return set_.intra_type == PathType::nvl ? Hardware::nvlink : Hardware::pci;
  }
  double intra_us() const { return hardware_us(inside(), scheme_.algorithm); }
  double inter_us() const;
  double ring_us() const;
  double chain_of_ranks_us() const;
  double overhead_us() const;
  double nvls_us(double base_us) const;
  double pat_us() const;
  bool simple() const { return scheme_.protocol == Protocol::simple; }
  int more_ranks() const { return job_.nranks / job_.nnodes - 1; }

  const JobShape& job_;
  const ModelConstants& constants_;
  const Scheme& scheme_;
  const ChannelSet& set_;
};

// With one rank per node nothing hides the network. Simple also flushes what a NIC wrote.
double LatencyRules::inter_us() const {
  const bool exposed = job_.nranks == job_.nnodes && job_.version >= kInterStepsRule;
  const double step = hardware_us(Hardware::net, exposed ? Algorithm::tree : scheme_.algorithm);
  return step + set_.inter_latency_us * (simple() ? 2 : 1);
}

// What posting to the network costs each step of a ring.
double LatencyRules::overhead_us() const {
  constexpr double kAmdUs = 2, kOtherUs = 1, kFlushes = 3;
  if (job_.nnodes == 1) return 0;
  const double post = job_.cpu == CpuKind::amd ? kAmdUs : kOtherUs;
  return simple() ? post * kFlushes : post;
}

// broadcast and reduce: a chain.
double LatencyRules::chain_of_ranks_us() const {
  const auto hardware = job_.nnodes == 1 ? inside() : Hardware::net;
  if (set_.same_channels) return hardware_us(hardware, Algorithm::ring);
  const auto algorithm = simple() ? Algorithm::tree : Algorithm::ring;
  return ring_steps(scheme_.function, job_.nranks) * hardware_us(hardware, algorithm);
}

double LatencyRules::ring_us() const {
  if (!has_shares(scheme_.function) && scheme_.function != Function::all_reduce)
    return chain_of_ranks_us();
  const int rounds = scheme_.function == Function::all_reduce ? 2 : 1;
  int inter_steps = job_.nnodes == 1 ? 0 : rounds * (job_.nnodes - 1);
  if (job_.version < kInterStepsRule && job_.nnodes > 1 && rounds == 2)
    inter_steps = rounds * job_.nnodes;
  const int intra_steps = ring_steps(scheme_.function, job_.nranks) - inter_steps;
  return intra_steps * std::max(intra_us(), overhead_us()) + inter_steps * inter_us();
}

double LatencyRules::nvls_us(double base_us) const {
  const bool counts_steps = job_.version >= kNvlsStepsRule;
  if (scheme_.algorithm == Algorithm::nvls) return counts_steps ? intra_us() : base_us;  // one node
  if (!counts_steps)
    return base_us + 2 * (job_.nnodes - 1) * hardware_us(Hardware::net, scheme_.algorithm);
  return base_us + intra_us() + 2 * log2_of(job_.nnodes) * inter_us();
}

double LatencyRules::pat_us() const {
  constexpr double kHidden = 3.5, kRankUs = 2.8;
  return log2_of(job_.nnodes) * (inter_us() / kHidden) + job_.nranks * kRankUs;
}

double LatencyRules::latency_us() const {
  const double base_us =
      constants_.base_us[index_of(scheme_.algorithm)][index_of(scheme_.protocol)];
  switch (scheme_.algorithm) {
    case Algorithm::ring:
      return base_us + ring_us();
    case Algorithm::tree:
      return base_us + 2 * (more_ranks() * intra_us() + log2_of(job_.nnodes) * inter_us());
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return nvls_us(base_us);
    case Algorithm::pat:
      return base_us + pat_us();
  }
  __builtin_unreachable();
}

}  // namespace

double latency_us(const JobShape& job, const ModelConstants& constants, const Scheme& scheme) {
  return LatencyRules(job, constants, scheme).latency_us();
}

namespace {

constexpr NcclVersion kMixedHoppers{2, 30, 0};  // LL128 between GPUs of several generations

// The GPUs that a version has been tried on, by compute capability.
bool knows_ll128_of(int sm, const NcclVersion& version) {
  constexpr int kFirst = 70;
  constexpr NcclVersion kBlackwellSince{2, 25, 0}, kAllSinceVolta{2, 27, 0};
  if (version >= kAllSinceVolta) return sm >= kFirst;
  const bool blackwell = sm == 100 || sm == 120;
  return sm == kFirst || sm == 80 || sm == 90 || (blackwell && version >= kBlackwellSince);
}

// LL128 needs 128 bytes to arrive whole: NVLink within the node, and a near NIC.
bool ll128_is_safe(const JobShape& job, const ChannelSet& set) {
  const bool hopper = generation_of(job.min_sm) >= Generation::hopper;
  const bool alike = job.min_sm == job.max_sm || (hopper && job.version >= kMixedHoppers);
  const auto farthest = hopper ? PathType::pxn : PathType::pxb;
  return alike && knows_ll128_of(job.min_sm, job.version) &&
         !nearer(PathType::nvb, set.intra_type, job.version) &&
         !nearer(farthest, set.inter_type, job.version);
}

// A limit that NCCL looks at when a call is made (src/enqueue.cc, updateCollCostTable).
bool fits_node(const JobShape& job, const Scheme& scheme) {
  constexpr int kMaxNvlsRanks = 32;
  return !is_nvls(scheme.algorithm) || scheme.function == Function::all_reduce ||
         job.gpus <= kMaxNvlsRanks;
}

// As the model has it, whether NCCL uses it or not.
Cost cost_of(const JobShape& job, const ModelConstants& constants, const Scheme& scheme) {
  if (!fits_node(job, scheme)) return {};
  const double algbw = algorithm_bandwidth_gbps(job, constants, scheme);
  if (algbw <= 0) return {};
  return {.latency_us = latency_us(job, constants, scheme), .algbw_gbps = algbw};
}

ModelConstants constants_for(const JobShape& job) {
  auto constants = constants_of(job.version);
  if (job.cpu == CpuKind::power) {  // trees are favoured there
    auto& pci = constants.hardware_us[index_of(Hardware::pci)];
    constexpr auto kAt = index_of(Protocol::simple);
    pci[index_of(Algorithm::tree)][kAt] = pci[index_of(Algorithm::ring)][kAt];
  }
  return constants;
}

}  // namespace

bool uses_protocol(const JobShape& job, const Scheme& scheme) {
  switch (job.asked.use_of(scheme.function, scheme.protocol)) {
    case ProtocolUse::off:
      return false;
    case ProtocolUse::on:
      return true;
    case ProtocolUse::where_safe:
      return ll128_is_safe(job, job.of(scheme.algorithm));
  }
  __builtin_unreachable();
}

bool uses_algorithm(const JobShape& job, const Scheme& scheme) {
  constexpr NcclVersion kNeverWithoutRings{2, 19, 0}, kObeys{2, 24, 0};
  const auto allows = [&](Algorithm algorithm) {
    return job.asked.allows(scheme.function, algorithm);
  };
  const bool own = scheme.algorithm == Algorithm::ring || scheme.algorithm == Algorithm::tree;
  if (job.version < kNeverWithoutRings && scheme.algorithm == Algorithm::ring &&
      scheme.function != Function::all_reduce)
    return true;
  if (job.version >= kObeys || !own) return allows(scheme.algorithm);
  // A list that leaves nothing but CollNet is taken for a mistake.
  const auto nvls = job.nnodes == 1 ? Algorithm::nvls : Algorithm::nvls_tree;
  const bool leaves_none = !allows(Algorithm::ring) && !allows(Algorithm::tree) && !allows(nvls);
  return leaves_none || allows(scheme.algorithm);
}

namespace {

// ringbdw in src/graph/tuning.cc.
bool is_last_resort(const JobShape& job, const Scheme& scheme) {
  constexpr NcclVersion kSince{2, 19, 0}, kUsableOnly{2, 22, 0}, kUntil{2, 24, 0};
  if (scheme.algorithm != Algorithm::ring || job.version < kSince || job.version >= kUntil)
    return false;
  return job.version < kUsableOnly || uses_protocol(job, scheme);
}

}  // namespace

CostTable::CostTable(const JobShape& job) {
  const auto constants = constants_for(job);
  for (const auto function : kAllFunctions)
    for (const auto algorithm : kAllAlgorithms)
      for (const auto protocol : kAllProtocols) {
        const Scheme scheme{function, algorithm, protocol};
        const auto cost = cost_of(job, constants, scheme);
        if (uses_protocol(job, scheme) && uses_algorithm(job, scheme))
          costs_[index_of(function)][index_of(algorithm)][index_of(protocol)] = cost;
        if (is_last_resort(job, scheme)) rings_[index_of(function)][index_of(protocol)] = cost;
      }
}

}  // namespace linerate::topo
