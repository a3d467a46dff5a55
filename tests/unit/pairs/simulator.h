// A cluster of leaves below a spine, for tests of the search: faults, noise, and uplinks that
// pairs share. Nodes are in no order that tells their leaf.
#pragma once

#include "pairs/search.h"

#include <random>
#include <string>
#include <vector>

namespace linerate::pairs {

struct Injected {
  FaultKind kind = FaultKind::rank;
  int rank = -1;               // of a rank or, its first one, of a node
  int leaf = -1, uplink = -1;  // of a link: a cable from a leaf to the spine
  double share = 1;            // of the bandwidth that is left; of a cable, of a NIC's
  double often = 1;            // share of the measurements that it slows down
};

// Noise of hosts that other programs use, too: for some measurements in a row all ranks, half of
// them, or some of one node are at 40 to 80 %.
struct Bursts {
  double often = 0;    // probability that one begins, at each measurement without
  double length = 10;  // measurements, the mean of a geometric distribution
};

struct ClusterOptions {
  int nnodes = 1024;
  int nrails = 1;
  int nodes_per_leaf = 32;
  int uplinks = 8;           // of a leaf and rail
  double uplink_of_nic = 4;  // bandwidth of an uplink over that of a NIC
  double noise = 0.02;       // standard deviation of a measurement, as a share
  Bursts bursts{};
};

class Cluster {
 public:
  Cluster(ClusterOptions options, std::vector<Injected> faults, unsigned seed);

  Layout layout() const;
  // All pairs of the round at once.
  std::vector<Rate> measure(const Round& round);
  // The cable that the pair crosses at each end: by a hash of both, as switches choose. Nothing
  // within a leaf.
  struct Cable {
    int leaf = 0, rail = 0, uplink = 0;
    auto operator<=>(const Cable&) const = default;
  };
  std::vector<Cable> cables(Pair pair) const;
  int rank(int node, int rail) const { return node * options_.nrails + rail; }

 private:
  double share_of(const Injected& fault);
  bool chance(double probability) {
    return std::uniform_real_distribution<>(0, 1)(random_) < probability;
  }
  void begin_or_end_burst();
  bool is_slowed(int rank, int kind, int node);

  const ClusterOptions options_;
  const std::vector<Injected> faults_;
  std::mt19937_64 random_;
  std::vector<int> leaf_;                 // of each node
  std::vector<double> share_in_burst_{};  // of each rank; empty: there is none
};

// On up to `share` of the nodes: NICs at 50 to 90 %, whole nodes, and NICs that are at 50 to 80 %
// in 70 % of the measurements or more.
std::vector<Injected> drawn_faults(const ClusterOptions& options, double share, unsigned seed);

// One cable from a leaf to the spine that leaves a NIC 40 to 80 %.
Injected drawn_cable(const ClusterOptions& options, unsigned seed);

// What the search named against what is there.
struct Score {
  std::size_t there = 0, named = 0, invented = 0;
  std::size_t slots = 0, pairs = 0, parts = 0;
  double visible_share = 0;
  std::vector<Injected> missed{};
  std::vector<Fault> wrong{};

  std::string text() const;  // what went wrong
};
Score searched(const ClusterOptions& options, const std::vector<Injected>& faults, unsigned seed);

}  // namespace linerate::pairs
