// See probed_rounds.h.
#include "bench/expect/probed_rounds.h"

namespace linerate {
namespace {

// 0-1, 2-3, ...: with an odd number the last one is left out.
Round neighbours_from_0(int nnodes) {
  Round round;
  for (int node = 0; node + 1 < nnodes; node += 2) round.emplace_back(node, node + 1);
  return round;
}

// 1-2, 3-4, ..., and the ring's end with its begin; with an odd number the first one is left out.
Round neighbours_from_1(int nnodes) {
  Round round;
  if (nnodes % 2 == 0) round.emplace_back(0, nnodes - 1);
  for (int node = 1; node + 1 < nnodes; node += 2) round.emplace_back(node, node + 1);
  return round;
}

// With an odd number the middle one is left out.
Round halfway_round(int nnodes) {
  Round round;
  const int distance = (nnodes + 1) / 2;
  for (int node = 0; node + distance < nnodes; ++node) round.emplace_back(node, node + distance);
  return round;
}

}  // namespace

std::vector<Round> probed_rounds(int nnodes) {
  if (nnodes < 2) return {};
  if (nnodes == 2) return std::vector(2, neighbours_from_0(nnodes));
  return {neighbours_from_0(nnodes), neighbours_from_1(nnodes), halfway_round(nnodes)};
}

}  // namespace linerate
