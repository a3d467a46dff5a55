#include "bench/pairs.h"

#include <algorithm>
#include <cmath>

namespace linerate {
namespace {

constexpr int kMaxForAllPairs = 16;

std::vector<Round> one_by_one(int nranks) {
  std::vector<Round> rounds;
  for (int a = 0; a < nranks; ++a)
    for (int b = a + 1; b < nranks; ++b) rounds.push_back({{a, b}});
  return rounds;
}

std::vector<Round> by_circle(int nranks) {
  std::vector<Round> rounds;
  for (int turn = 0; turn < round_count(nranks); ++turn)
    rounds.push_back(circle_round(nranks, turn));
  return rounds;
}

}  // namespace

int round_count(int nranks) { return std::max(0, nranks + nranks % 2 - 1); }

// The last slot stays, all others move round it; with an odd number of ranks the last slot is
// empty.
Round circle_round(int nranks, int turn) {
  const int slots = nranks + nranks % 2;
  Round round;
  const auto add = [&](int a, int b) {
    if (a < nranks && b < nranks) round.emplace_back(std::min(a, b), std::max(a, b));
  };
  add(turn, slots - 1);
  for (int k = 1; k < slots / 2; ++k)
    add((turn + k) % (slots - 1), (turn + slots - 1 - k) % (slots - 1));
  std::ranges::sort(round);
  return round;
}

double PairRate::gbps() const {
  constexpr double kLeastGbps = 1e-9;
  const double slower = std::min(forward_gbps, backward_gbps);
  return std::isfinite(slower) ? std::max(kLeastGbps, slower) : kLeastGbps;
}

double PairRate::log() const { return std::log(gbps()); }

std::vector<Round> pair_rounds(int nranks, bool at_once) {
  return at_once ? by_circle(nranks) : one_by_one(nranks);
}

std::vector<Pair> pairs_to_time(int nranks) {
  std::vector<Pair> pairs;
  for (int a = 0; a < nranks; ++a)
    for (int b = 0; b < nranks; ++b) {
      const bool neighbours = (a + 1) % nranks == b || (b + 1) % nranks == a;
      const bool in_star = a == 0 || b == 0;
      if (a != b && (nranks <= kMaxForAllPairs || neighbours || in_star)) pairs.emplace_back(a, b);
    }
  return pairs;
}

}  // namespace linerate
