// TCP between each pair of a job's nodes.
#pragma once

#include "base/clock.h"
#include "bench/survey/survey.h"
#include "bench/survey/tcp_probe.h"
#include "comm/bootstrap.h"

#include <string>
#include <vector>

namespace linerate {

struct NodeLink {
  int first = 0, second = 0;  // members, the first one is the lower
  std::string address{};      // of the first, at which the second reached it
  TcpSpeed speed{};
  std::string failure{};  // a sentence; not empty: nothing was measured
};

// Between all pairs of `leaders`, one member on each node; disjoint pairs at once, which switches
// should bear. A pair that cannot connect is told and left out; a node of which the first two pairs
// fail is not tried again. Collective over all; yields the links in ascending order on rank 0,
// nothing elsewhere.
std::vector<NodeLink> measure_links(Bootstrap& leaders, const Clock& clock,
                                    const SayProgress& progress);

// How long that may take between so many nodes, where all of them wait in vain.
double links_timeout_s(int nnodes);

}  // namespace linerate
