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
  bool is_interval = false;
};

// A share of the step that was lost, from the spreads of the two times that it is the difference
// of.
struct Loss {
  double share = 0, low = 0, high = 0;
  bool is_clear() const { return low > 0 || high < 0 || low == high; }  // else it may be noise
};

// A layout on a number of ranks. Efficiency is the throughput of a rank as a share of the
// baseline's: with strong scaling T1 / (n Tn), with weak scaling T1 / Tn. With the run without
// communication (the control) the rest of 1 falls into two: what its compute takes longer than the
// ideal step (caches, memory and cores that ranks share, shares that are not even), and what
// communication adds to it, a pipeline's bubble included. One rank is its own control.
struct Row {
  std::string layout{};
  int nranks = 1;
  std::uint64_t batch = 0;
  std::optional<Outcome> outcome{};  // ok, or that of a run that did not end well; nothing: not run
  std::string reason{};              // of the latter
  Spread step_us{};                  // no runs: nothing below has a meaning
  StepTimes times{};                 // the median step; its parts as in the run nearest to it
  json::Json pipeline_step{};        // of that run; null: no pipeline
  std::optional<Spread> control_us{};
  double tokens_per_s = 0;
  std::optional<double> speedup{};  // against the baseline; nothing: there is none
  Spread efficiency{};              // where there is a speedup
  std::optional<Loss> lost_to_compute{}, lost_to_communication{};
  bool oversubscribed = false;  // more ranks than cores
};

// Rows in the order of the study. The baseline is the layout with the highest throughput on the
// fewest ranks of the study.
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

// Layouts of which no run ended well, and some have run.
std::vector<std::string> useless_layouts(const Study& study, const std::vector<RunResult>& results);

}  // namespace linerate::scale
