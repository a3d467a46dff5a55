// What a probe of the network says of its nodes: pure.
#pragma once

#include "bench/config.h"
#include "bench/expect/network_probe.h"
#include "record/record.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace linerate {

// What TCP gave to the nodes of a run.
struct NetworkLimits {
  std::vector<NetworkPoint> points{};    // by node
  std::vector<std::string> hostnames{};  // by node
  std::vector<int> nodes{};              // of each rank
  Average average = Average::mean;       // how the ranks' times become one
  std::uint64_t calls = 1;               // see calls_at_once()
  double barrier_us = 0;                 // of the library: what its own small messages take
};

// Calls of a time after which a barrier follows that is not in it: until then ranks may be ahead.
std::uint64_t calls_at_once(const BenchConfig& config);

// The best that each node reached in any of its pairs: a slow node slows its partners too.
std::vector<NetworkPoint> points_of(std::span<const NodePair> pairs, int nnodes);

// A node takes part in a run of equals: where it reaches less than half of what the median node
// does, in one direction, it is given that: so it should be. Two nodes know no median.
std::vector<NetworkPoint> as_they_should_be(std::vector<NetworkPoint> points);

// Whom as_they_should_be() gives the median, worst first and three at most, in the words of
// suspects_of(). A pair that alone is slow is none of them.
std::vector<Suspect> slow_nodes(std::span<const NodePair> pairs, int nnodes);

}  // namespace linerate
