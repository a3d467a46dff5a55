// Both sides case by case: how long each takes, by how much they differ, and what that is called;
// and the order in which they took turns, on which that rests.
#pragma once

#include "base/result.h"
#include "compare/differences.h"
#include "compare/runs.h"
#include "stats/compare.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// At what both sides took turns.
enum class TurnsAt : std::uint8_t {
  none,     // they did not
  runs,     // one process after the other
  windows,  // both processes at once, of which one measures while the other waits
};

std::string_view name_of(TurnsAt turns);  // "none", "runs", "windows"

// How many repeats of each side make a block, within which their order is drawn: of runs two, so
// that each can come first, and a block is over before the machine changes.
constexpr int repeats_of_block(TurnsAt turns) { return turns == TurnsAt::windows ? 1 : 2; }

// One run of one side, in the order in which commands take turns, so that a machine that changes
// favours neither.
struct Turn {
  std::size_t side = 0;
  int repeat = 1;
};

// Each side `repeats` times. Within each block of two repeats the order is drawn by lot: that alone
// is what the test between runs rests on. The same seed draws the same order on every machine.
std::vector<Turn> turns(std::size_t sides, int repeats, std::uint64_t seed);

// Which of two sides has the first turn of each repeat, where they take turns within it.
std::vector<std::size_t> first_turns(int repeats, std::uint64_t seed);

struct CompareRules {
  stats::Rule rule{};
  std::optional<RunStatistic> statistic{};  // nothing: kUsualStatistic where both sides have it
  bool force = false;                       // compare what differences() forbids
};

// Which number of a run finds a difference soonest: docs/comparing-runs.md has the figures.
inline constexpr RunStatistic kUsualStatistic = RunStatistic::median;

// One case on one side: over runs.
struct SideTime {
  std::size_t nruns = 0;
  double median_us = 0;
  double spread = 0;  // half the distance between the quartiles, over the median
};

// REQUIRES: not empty.
SideTime side_time(std::vector<double> us);

struct ComparedCase {
  CaseKey key{};
  SideTime a{}, b{};
  stats::Effect effect{};
  double adjusted_p = 1;
  stats::Difference verdict = stats::Difference::unsure;
};

struct RunComparison {
  Side a{}, b{};  // their names, runs and notes
  CompareRules rules{};
  RunStatistic statistic = kUsualStatistic;
  std::vector<SideDifference> differences{};
  TurnsAt turns = TurnsAt::none;
  // Of runs made close together; 1: they are too few for more; 0: they were not made in turns.
  std::size_t blocks = 0;
  double smallest_p = 0;         // that the numbers of runs allow, of the case with the fewest
  std::size_t too_few = 0;       // cases whose numbers of runs allow neither SLOWER nor FASTER
  std::size_t in_common = 0;     // runs that are on both sides
  bool one_after_other = false;  // all runs of one side ended before those of the other began
  std::vector<ComparedCase> cases{};
  std::size_t only_a = 0, only_b = 0;  // cases of one side alone

  std::size_t count(stats::Difference verdict) const;
};

// Refused in a sentence: what differences() forbids, unless forced, and sides without a case in
// common. REQUIRES: both have runs.
Result<RunComparison> compare_sides(Side a, Side b, const CompareRules& rules);

}  // namespace linerate
