// TCP between pairs of nodes, one leader of each: the engine under `linerate topo --measure` and
// under the probe before a run.
#pragma once

#include "base/clock.h"
#include "bench/pairs.h"
#include "bench/survey/link_streams.h"
#include "bench/survey/survey.h"
#include "bench/survey/tcp_probe.h"
#include "comm/bootstrap.h"

#include <cstddef>
#include <string>
#include <vector>

namespace linerate {

// Between two leaders; `speed.out_gbps` is from the first to the second.
struct NodeLink {
  int first = 0, second = 0;
  std::string address{};  // of the first, at which the second reached it
  TcpSpeed speed{};
  std::string failure{};  // a sentence; not empty: nothing was measured
};

struct LinkRules {
  TcpProbeRules tcp{};
  double pair_timeout_s = 20;    // to connect and to measure
  double round_timeout_s = 120;  // until all have come that are busy with a pair
  // Else a pair that fails is left out, and a node of which the first two pairs fail is given up.
  bool ends_at_failure = false;
};

// Which nodes are worth another try.
// Nodes that nobody reaches cost every pair its full time. All leaders note the same.
class PairHistory {
 public:
  explicit PairHistory(int nranks) : of_rank_(static_cast<std::size_t>(nranks)) {}

  void note(const Pair& pair, bool worked) {
    for (const int rank : {pair.first, pair.second}) {
      auto& of = of_rank_[static_cast<std::size_t>(rank)];
      ++(worked ? of.worked : of.failed);
    }
  }

  // Of a node with two failed pairs and none that worked, no other one is tried.
  bool gives_up(const Pair& pair) const { return gives_up(pair.first) || gives_up(pair.second); }

 private:
  struct Counts {
    int worked = 0, failed = 0;
  };

  bool gives_up(int rank) const {
    constexpr int kMaxFailed = 2;
    const auto& of = of_rank_[static_cast<std::size_t>(rank)];
    return of.worked == 0 && of.failed >= kMaxFailed;
  }

  std::vector<Counts> of_rank_;
};

// Used by one thread. All leaders call the same functions in the same order.
class LinkProber {
 public:
  // `listener`: where this leader listens.
  LinkProber(Bootstrap& leaders, const Clock& clock, LinkListener listener, LinkRules rules);

  // Disjoint pairs of a round at once; the second of a pair connects, and measures. Yields the
  // failure at which all rounds ended, with the host's name; empty: none.
  std::string run(const std::vector<Round>& rounds, const SayProgress& progress);

  // In ascending order on rank 0, where `run` has ended; nothing elsewhere.
  std::vector<NodeLink> gather();

 private:
  Deadline within(double seconds) const { return Deadline::after(clock_, seconds); }
  void probe_pair(const Pair& pair, int round);
  NodeLink measure(const Pair& pair, const PairRendezvous& rendezvous);
  void answer(const PairRendezvous& rendezvous);
  std::string end_round(const Round& pairs);

  Bootstrap& leaders_;
  const Clock& clock_;
  LinkRules rules_;
  LinkListener own_;
  std::vector<LinkEndpoint> endpoints_;  // by rank
  std::vector<NodeLink> links_;          // that this leader measured
  std::string failure_;                  // of this leader's part of the round
  PairHistory history_;
};

// The first sentence that a leader tells, with its host's name; empty where none tells any.
// Collective.
std::string first_failure(Bootstrap& leaders, const std::string& mine, const Deadline& deadline);

// Between all pairs of `leaders`, one leader on each node.
std::vector<NodeLink> measure_links(Bootstrap& leaders, const Clock& clock,
                                    const SayProgress& progress);

// How long that may take between so many nodes, where all of them wait in vain.
double links_timeout_s(int nnodes);

}  // namespace linerate
