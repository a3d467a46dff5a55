// Every rule is one of src/graph/tuning.cc of NCCL; versions name where it
// changed.
#include "collectives/collective.h"
#include "topo/model/cost.h"

#include <algorithm>

namespace linerate::topo {
namespace {

constexpr NcclVersion kNvlsForShares{2, 19, 0};   // NVLS for all_gather and reduce_scatter
constexpr NcclVersion kHalfRingLl{2, 21, 0};      // LL moves a flag with each 4 bytes: half
constexpr NcclVersion kSingleRankRule{2, 23, 0};  // LL128 rings with a rank per node, until then
constexpr NcclVersion kNvlsShareRule{2, 27, 0};   // NVLS shares leave out a rank's own part
constexpr NcclVersion kNvlsEfficiency{2, 28, 0};  // measured efficiency of NVSwitch reductions

// The bandwidth of one way, with what all its rules need.
class BandwidthRules {
 public:
  BandwidthRules(const JobShape& job, const ModelConstants& constants, const Scheme& scheme)
      : job_(job), constants_(constants), scheme_(scheme), set_(job.of(scheme.algorithm)) {}

  double algbw_gbps() const;

 private:
  bool offered() const;
  bool offers_nvls() const;
  double bus_gbps() const;
  double channel_gbps() const;
  double nvls_channel_gbps() const;
  double old_nvls_channel_gbps() const;
  double ring_gbps(double bus) const;
  double tree_gbps(double bus) const;
  double ratio() const;

  bool share() const { return has_shares(scheme_.function); }
  double channels() const { return set_.nchannels(); }
  double per_node() const { return job_.ranks_per_node(); }
  std::size_t generation() const { return index_of(generation_of(job_.min_sm)); }
  std::size_t scale() const { return static_cast<std::size_t>(std::min(job_.nnodes, 3) - 1); }
  double ll_gbps() const;

  const JobShape& job_;
  const ModelConstants& constants_;
  const Scheme& scheme_;
  const ChannelSet& set_;
};

// Which algorithms do which function in this job.
bool BandwidthRules::offered() const {
  const bool simple = scheme_.protocol == Protocol::simple;
  switch (scheme_.algorithm) {
    case Algorithm::ring:
      return true;
    case Algorithm::tree:
      return scheme_.function == Function::all_reduce;
    case Algorithm::pat:  // one GPU per node
      return simple && share() && constants_.pat_efficiency > 0 && job_.nnodes == job_.nranks;
    case Algorithm::nvls:  // across nodes it needs NIC collectives
      return simple && offers_nvls() && job_.nnodes == 1 &&
             (scheme_.function == Function::all_reduce ||
              (share() && job_.version >= kNvlsForShares));
    case Algorithm::nvls_tree:
      return simple && offers_nvls() && job_.nnodes > 1 && scheme_.function == Function::all_reduce;
  }
  __builtin_unreachable();
}

bool BandwidthRules::offers_nvls() const {
  constexpr int kMinChannels = 2;
  return job_.nvls() && (job_.version < kNvlsEfficiency || set_.nchannels() >= kMinChannels);
}

double BandwidthRules::ll_gbps() const {
  const bool amd = job_.cpu == CpuKind::amd || job_.cpu == CpuKind::mixed;
  const std::size_t row = job_.nnodes == 1 ? generation() : (amd ? 1 : 0);
  return constants_.ll_gbps[row][scale()];
}

double BandwidthRules::old_nvls_channel_gbps() const {
  constexpr double kInterShare = 0.9;
  double inter = set_.inter_gbps;
  if (job_.version < kNvlsForShares) return job_.nnodes <= 2 ? set_.intra_gbps : inter;
  if (scheme_.algorithm == Algorithm::nvls_tree && job_.nnodes > 2) inter /= 2;
  if (!share() || job_.version < kNvlsShareRule) return std::min(set_.intra_gbps, inter);
  return std::min(set_.intra_gbps * (per_node() - 1) / per_node(), inter * kInterShare);
}

// A channel's GPU gets the parts of all others. all_reduce reduces and broadcasts at once.
double BandwidthRules::nvls_channel_gbps() const {
  if (job_.version < kNvlsEfficiency) return old_nvls_channel_gbps();
  const bool tree = scheme_.algorithm == Algorithm::nvls_tree;
  double intra =
      set_.intra_gbps * constants_.nvls_efficiency[generation()] * (channels() - 1) / channels();
  intra *= share() ? (per_node() - 1) / per_node() : 2;
  const double inter = set_.inter_gbps * (tree && job_.nnodes <= 2 ? 2 : 1);
  const double least = std::min(intra, inter);
  return tree ? std::min(least, constants_.channel_nvls_tree_gbps[generation()][scale()]) : least;
}

// With two nodes a rank only sends or only receives over the network.
double BandwidthRules::channel_gbps() const {
  if (is_nvls(scheme_.algorithm)) return nvls_channel_gbps();
  return job_.nnodes <= 2 ? set_.intra_gbps : set_.inter_gbps;
}

double BandwidthRules::ring_gbps(double bus) const {
  constexpr double kLl128 = 0.92, kLl128Alone = 0.7;
  if (scheme_.protocol == Protocol::ll) {
    double share_of_bus = 0.5;
    if (job_.version < kHalfRingLl) {
      const bool reduces =
          scheme_.function == Function::all_reduce || scheme_.function == Function::reduce;
      share_of_bus = job_.nnodes > 1 || reduces ? 1.0 / 4 : 1.0 / 3;
    }
    return std::min(ll_gbps(), bus * share_of_bus);
  }
  if (scheme_.protocol == Protocol::ll128) {
    const bool alone = per_node() < 2 && job_.version < kSingleRankRule;
    return std::min(bus * (alone ? kLl128Alone : kLl128),
                    channels() * constants_.channel_ring_ll128_gbps[generation()][scale()]);
  }
  return bus;
}

double BandwidthRules::tree_gbps(double bus) const {
  constexpr double kTree = 0.92, kLl = 1 / 3.8, kLl128OneNode = 7.0 / 9, kLl128 = 120.0 / 128;
  constexpr double kSimpleTree = 0.85;  // NICs and GPUs in no balance
  bus = std::min(bus * kTree, channels() * constants_.channel_tree_gbps[generation()][scale()]);
  if (scheme_.protocol == Protocol::ll) bus = std::min(bus * kLl, ll_gbps());
  if (scheme_.protocol == Protocol::ll128)
    bus = std::min(bus * (job_.nnodes == 1 ? kLl128OneNode : kLl128),
                   channels() * constants_.channel_tree_ll128_gbps[generation()][scale()]);
  return set_.pattern == Pattern::tree ? bus * kSimpleTree : bus;
}

double BandwidthRules::bus_gbps() const {
  const double bus = channels() * channel_gbps();
  switch (scheme_.algorithm) {
    case Algorithm::ring:
      return ring_gbps(bus);
    case Algorithm::tree:
      return tree_gbps(bus);
    case Algorithm::pat:
      return bus * constants_.pat_efficiency;
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return bus;
  }
  __builtin_unreachable();
}

// Algorithm bandwidth for each unit of bus bandwidth.
double BandwidthRules::ratio() const {
  constexpr double kOldNvls = 5.0 / 6, kOldNvlsTree = 0.7;
  constexpr NcclVersion kSharesAsTheyAre{2, 23, 0};
  const bool nvls = is_nvls(scheme_.algorithm);
  const double ring = 1 / bus_factor(scheme_.function, job_.nranks);
  if (scheme_.algorithm == Algorithm::ring) return ring;
  if (share() && job_.version >= kSharesAsTheyAre) return 1;
  if (!nvls) return 0.5;
  if (job_.version >= kNvlsEfficiency) return ring;
  if (job_.version < kNvlsForShares && scheme_.algorithm == Algorithm::nvls_tree)
    return kOldNvlsTree * job_.nnodes / (2.0 * (job_.nnodes - 1));
  return kOldNvls;
}

double BandwidthRules::algbw_gbps() const {
  const bool is_done = job_.nranks > 1 && set_.nchannels() > 0 && offered();
  return is_done ? bus_gbps() * ratio() : 0;
}

}  // namespace

double bus_factor(Function function, int nranks) {
  return find_collective(name_of(function))->bus_factor(nranks);
}

int ring_steps(Function function, int nranks) {
  if (function == Function::all_reduce) return 2 * (nranks - 1);
  return has_shares(function) ? nranks - 1 : nranks;
}

double algorithm_bandwidth_gbps(const JobShape& job, const ModelConstants& constants,
                                const Scheme& scheme) {
  return BandwidthRules(job, constants, scheme).algbw_gbps();
}

}  // namespace linerate::topo
