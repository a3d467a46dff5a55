// The search: which settings are worth more runs, and which of those left are faster for sure.
//
// Every run is a fresh launch. Settings and the default take turns in blocks of two runs of each,
// whose order is drawn by lot, so that a machine that changes favours none. Successive halving
// (Jamieson & Talwalkar, AISTATS 2016): a round measures all that is left, drops what paired runs
// show to be slower than the default (stats/bootstrap.h; of 4 pairs or more) and the worse half of
// the rest, and the next one has twice as many runs. What chooses for each call is halved for each
// size by itself; what holds for a process, over all collectives and sizes together.
//
// The winner is then measured against the default in new runs alone, because those by which it was
// chosen flatter it, and judged as `linerate compare` does (stats/compare.h).
#pragma once

#include "stats/compare.h"
#include "tune/settings.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace linerate::tuning {

// What one launch says: the time of each size, us; or why there is none.
struct Run {
  std::map<std::size_t, double> us{};
  std::string failure{};
};
using Launch = std::function<Run(const Collective&, const Variables&)>;

struct Cell {
  const Collective* collective = nullptr;
  std::size_t bytes = 0;

  auto operator<=>(const Cell&) const = default;
};

struct Effort {
  int first_repeats = 2;   // of the first round
  int confirmations = 10;  // runs of each side when the winners are confirmed
  std::uint64_t seed = 1;
  stats::Rule rule{.smallest = 0.03, .false_discoveries = 0.01};
};

// A setting against the default at one size, from runs that had no part in choosing it.
struct Judged {
  Cell cell{};
  std::size_t arm = 0;
  double default_us = 0, us = 0;  // medians
  stats::Effect effect{};
  double adjusted_p = 1;
  stats::Difference verdict = stats::Difference::unsure;
};

struct Dropped {
  std::size_t arm = 0;
  std::string why{};
};

struct Searched {
  std::vector<Cell> cells{};  // that were measured
  std::vector<Judged> judged{};
  std::vector<Dropped> dropped{};  // before the confirmation
  int rounds = 0, launches = 0;
  std::string failure{};  // of the default: nothing can be compared then
};

// `arms` are all of one collective, which is the only one, or all of the process.
Searched search(std::span<const Arm> arms, const Collectives& collectives, const Effort& effort,
                const Launch& launch);

// `variables` against none, in new runs: the arm of all that is judged is 0.
Searched confirm(const Variables& variables, const Collectives& collectives, const Effort& effort,
                 const Launch& launch);

// At most so many launches.
std::size_t most_launches(std::size_t arms, const Collectives& collectives, const Effort& effort);

}  // namespace linerate::tuning
