#include "scale/scaling.h"

#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace linerate::scale {
namespace {

Spread spread_of(std::vector<double> values) {
  const auto summary = stats::summarize(values);
  if (std::isnan(summary.ci95_low)) return {summary.median, summary.min, summary.max, summary.n};
  return {summary.median, summary.ci95_low, summary.ci95_high, summary.n, true};
}

using Runs = std::vector<const RunResult*>;

Runs runs_of(const std::vector<RunResult>& results, const Row& row, bool control) {
  Runs runs;
  for (const auto& result : results)
    if (result.layout == row.layout && result.nranks == row.nranks && result.batch == row.batch &&
        result.control == control)
      runs.push_back(&result);
  return runs;
}

// Nothing where no run ended well.
std::optional<Spread> steps_of(const Runs& runs) {
  std::vector<double> step_us;
  for (const auto* run : runs)
    if (run->outcome == Outcome::ok) step_us.push_back(run->times.step_us);
  if (step_us.empty()) return std::nullopt;
  return spread_of(std::move(step_us));
}

const RunResult& nearest_to(double median_us, const Runs& runs) {
  const auto distance = [median_us](const RunResult* run) {
    return run->outcome == Outcome::ok ? std::abs(run->times.step_us - median_us) : HUGE_VAL;
  };
  return **std::ranges::min_element(runs, {}, distance);
}

// What the first run that did not end well says.
void add_outcome(const Runs& runs, std::string_view what, Row& row) {
  if (runs.empty()) return;
  if (!row.outcome) row.outcome = Outcome::ok;
  const auto bad =
      std::ranges::find_if(runs, [](const RunResult* run) { return run->outcome != Outcome::ok; });
  if (bad == runs.end() || *row.outcome != Outcome::ok) return;
  row.outcome = (*bad)->outcome;
  row.reason = std::string(what) + (*bad)->reason;
}

Row row_of(const std::vector<RunResult>& results, Row row) {
  const auto runs = runs_of(results, row, false), controls = runs_of(results, row, true);
  add_outcome(runs, "", row);
  add_outcome(controls, "without communication: ", row);
  const auto steps = steps_of(runs);
  if (!steps) return row;
  row.step_us = *steps;
  const auto& nearest = nearest_to(steps->median, runs);
  row.times = scaled(nearest.times, steps->median / nearest.times.step_us);
  row.pipeline_step = nearest.pipeline_step;
  row.tokens_per_s = row.times.tokens / steps->median * 1e6;
  row.control_us = row.nranks == 1 ? steps : steps_of(controls);
  return row;
}

// Of all rows on the fewest ranks; null: none ran.
const Row* baseline_of(const Study& study, const std::vector<Row>& rows) {
  const Row* best = nullptr;
  for (const auto& row : rows)
    if (row.nranks == study.min_nranks() && row.step_us.runs > 0 &&
        (best == nullptr || row.tokens_per_s > best->tokens_per_s))
      best = &row;
  return best;
}

// Of the step, from `before` to `after`: positive where `after` is longer.
Loss loss_of(const Spread& before, const Spread& after, const Spread& step_us) {
  return {(after.median - before.median) / step_us.median, (after.low - before.high) / step_us.high,
          (after.high - before.low) / step_us.low};
}

// A rank of the baseline works through `base_rate` tokens a second.
void add_efficiency(Row& row, double base_rate, double base_tokens_per_s) {
  if (row.step_us.runs == 0) return;
  const double ideal_us = row.times.tokens / (base_rate * row.nranks) * 1e6;
  row.speedup = row.tokens_per_s / base_tokens_per_s;
  row.efficiency = {ideal_us / row.step_us.median, ideal_us / row.step_us.high,
                    ideal_us / row.step_us.low, row.step_us.runs, row.step_us.is_interval};
  if (!row.control_us) return;
  const Spread ideal{ideal_us, ideal_us, ideal_us, 1};
  row.lost_to_compute = loss_of(ideal, *row.control_us, row.step_us);
  row.lost_to_communication =
      row.nranks == 1 ? Loss{} : loss_of(*row.control_us, row.step_us, row.step_us);
}

Table table_of(const Study& study, Scaling scaling, const std::vector<RunResult>& results,
               std::optional<int> cores) {
  Table table{.scaling = scaling, .base_nranks = study.min_nranks()};
  for (const auto& layout : study.layouts)
    for (const int nranks : study.ranks)
      table.rows.push_back(row_of(results, {.layout = layout.name,
                                            .nranks = nranks,
                                            .batch = study.batch_of(scaling, nranks),
                                            .oversubscribed = cores && nranks > *cores}));
  const auto* base = baseline_of(study, table.rows);
  if (base == nullptr) return table;
  table.baseline = base->layout;
  table.base_us = base->step_us.median;
  const double tokens_per_s = base->tokens_per_s;
  for (auto& row : table.rows) add_efficiency(row, tokens_per_s / table.base_nranks, tokens_per_s);
  return table;
}

}  // namespace

std::vector<Table> scaling_of(const Study& study, const std::vector<RunResult>& results,
                              std::optional<int> cores) {
  std::vector<Table> tables;
  if (study.strong) tables.push_back(table_of(study, Scaling::strong, results, cores));
  if (study.weak) tables.push_back(table_of(study, Scaling::weak, results, cores));
  return tables;
}

std::vector<std::string> useless_layouts(const Study& study,
                                         const std::vector<RunResult>& results) {
  std::vector<std::string> useless;
  for (const auto& layout : study.layouts) {
    bool ran = false, ended_well = false;
    for (const auto& result : results) {
      ran = ran || result.layout == layout.name;
      ended_well = ended_well || (result.layout == layout.name && result.outcome == Outcome::ok);
    }
    if (ran && !ended_well) useless.push_back(layout.name);
  }
  return useless;
}

}  // namespace linerate::scale
