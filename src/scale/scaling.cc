#include "scale/scaling.h"

#include "stats/summary.h"

#include <algorithm>
#include <functional>

namespace linerate::scale {
namespace {

Spread spread_of(std::vector<double> values) {
  const auto summary = stats::summarize(values);
  Spread spread{summary.median, summary.min, summary.max, summary.n};
  if (spread.is_interval()) {
    spread.low = summary.ci95_low;
    spread.high = summary.ci95_high;
  }
  return spread;
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

// The run nearest to the median.
const StepTimes& typical(const Runs& runs, double median_us) {
  const auto distance = [median_us](const RunResult* run) {
    return run->outcome == Outcome::ok ? std::abs(run->times.step_us - median_us) : HUGE_VAL;
  };
  return (*std::ranges::min_element(runs, {}, distance))->times;
}

Row row_of(const std::vector<RunResult>& results, Row row) {
  const auto runs = runs_of(results, row, false);
  const auto bad =
      std::ranges::find_if(runs, [](const auto* run) { return run->outcome != Outcome::ok; });
  if (bad != runs.end()) {
    row.outcome = (*bad)->outcome;
    row.reason = (*bad)->reason;
  }
  const auto steps = steps_of(runs);
  if (!steps) return row;
  row.step_us = *steps;
  row.times = typical(runs, steps->median);
  row.tokens_per_s = row.times.tokens / steps->median * 1e6;
  row.control_us = steps_of(runs_of(results, row, true));
  return row;
}

// Of all rows on the fewest ranks; null: none ran.
const Row* baseline_of(const Study& study, const std::vector<Row>& rows) {
  const Row* best = nullptr;
  for (const auto& row : rows)
    if (row.nranks == study.fewest() && row.step_us.runs > 0 &&
        (best == nullptr || row.tokens_per_s > best->tokens_per_s))
      best = &row;
  return best;
}

// A rank of the baseline works through `base_rate` tokens a second.
void judge(Row& row, double base_rate, double base_tokens_per_s) {
  if (row.step_us.runs == 0) return;
  const double ideal_us = row.times.tokens / (base_rate * row.nranks) * 1e6;
  row.speedup = row.tokens_per_s / base_tokens_per_s;
  row.efficiency = {ideal_us / row.step_us.median, ideal_us / row.step_us.high,
                    ideal_us / row.step_us.low, row.step_us.runs};
  if (!row.control_us) return;
  row.lost_to_compute = (row.control_us->median - ideal_us) / row.step_us.median;
  row.lost_to_communication = 1 - row.control_us->median / row.step_us.median;
}

Table table_of(const Study& study, Scaling scaling, const std::vector<RunResult>& results,
               std::optional<int> cores) {
  Table table{.scaling = scaling, .base_nranks = study.fewest()};
  for (const auto& layout : study.layouts)
    for (const int nranks : study.ranks)
      table.rows.push_back(row_of(results, {.layout = layout.name,
                                            .nranks = nranks,
                                            .batch = study.batch_of(scaling, nranks),
                                            .crowded = cores && nranks > *cores}));
  const auto* base = baseline_of(study, table.rows);
  if (base == nullptr) return table;
  table.baseline = base->layout;
  table.base_us = base->step_us.median;
  const double tokens_per_s = base->tokens_per_s;
  for (auto& row : table.rows) judge(row, tokens_per_s / table.base_nranks, tokens_per_s);
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

}  // namespace linerate::scale
