// What a study's runs say: times, efficiencies, and what was lost to what.
#pragma once

#include "scale/run_result.h"
#include "scale/study.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace linerate::scale {

// Of runs: the median, and from 6 runs on its 95 % interval; of fewer the least and the most.
struct Spread {
  double median = 0, low = 0, high = 0;
  std::size_t runs = 0;
  bool is_interval() const { return runs >= 6; }
};

// A layout on a number of ranks. Efficiency is the throughput of a rank as a share of the
// baseline's: with strong scaling T1 / (n Tn), with weak scaling T1 / Tn. With the run without
// communication (the control) the rest of 1 falls into two: what its compute takes longer than the
// ideal step (caches, memory and cores that ranks share, shares that are not even), and what
// communication adds to it, a pipeline's bubble included.
struct Row {
  std::string layout{};
  int nranks = 1;
  std::uint64_t batch = 0;
  Outcome outcome = Outcome::ok;  // of the first run that did not end well
  std::string reason{};           // likewise
  Spread step_us{};               // no runs: nothing below has a meaning
  StepTimes times{};              // of the run whose step is the median
  std::optional<Spread> control_us{};
  double tokens_per_s = 0;
  double speedup = 0;  // against the baseline
  Spread efficiency{};
  std::optional<double> lost_to_compute{}, lost_to_communication{};
  bool crowded = false;  // more ranks than cores
};

// Rows in the order of the study. The baseline is the layout with the highest throughput on the
// fewest ranks of any.
struct Table {
  Scaling scaling = Scaling::strong;
  std::string baseline{};  // empty: no run on the fewest ranks ended well
  int base_nranks = 1;
  double base_us = 0;
  std::vector<Row> rows{};
};

// `cores` of the machine, where all ranks share it; nothing: they do not.
std::vector<Table> scaling_of(const Study& study, const std::vector<RunResult>& results,
                              std::optional<int> cores);

}  // namespace linerate::scale
