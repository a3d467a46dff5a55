// Results are sorted by run and case; a failed run is told by its `end` line.
#include "compare/runs.h"

#include "base/error.h"
#include "base/text.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace linerate {
namespace {

std::string cell_of(const CopyInfo& copy) {
  return fmt::format("{} {} {}", copy.engine, copy.row, copy.column);
}

// Shorter than light takes for a millimetre, or longer than a season: no time of a call. Logarithms
// of what lies between, and their differences, are harmless.
constexpr double kShortestUs = 1e-6, kLongestUs = 1e13;

bool is_sensible(double us) { return us >= kShortestUs && us <= kLongestUs; }  // not NaN

// What all measurements of one case in one run say.
CaseTimes times_of(const std::vector<const Record*>& results) {
  std::vector<double> window, busbw, median, least;
  for (const auto* record : results) {
    window.push_back(record->window.time_us);
    busbw.push_back(record->busbw_gbps);
    if (!record->samples) continue;
    const auto& us = record->samples->us;
    if (!is_sensible(us.median) || !is_sensible(us.min)) continue;
    median.push_back(us.median);
    least.push_back(us.min);
  }
  CaseTimes times{.window_us = stats::median(std::move(window)),
                  .busbw_gbps = stats::median(std::move(busbw)),
                  .touched_bytes = results.front()->touched_bytes};
  if (median.size() < results.size()) return times;
  times.median_us = stats::median(std::move(median));
  times.min_us = stats::median(std::move(least));
  return times;
}

using ResultsByCase = std::map<CaseKey, std::vector<const Record*>>;

// The usable results of a file by run, and why runs do not count.
class ResultsOfRuns {
 public:
  explicit ResultsOfRuns(const RunFile& file) {
    for (const auto& record : file.records) add(record);
    for (const auto& end : file.ends) add(end);
  }

  // "with wrong data"; empty: it counts.
  std::string reason_against(const std::string& run_id) const {
    if (const auto found = reasons_.find(run_id); found != reasons_.end()) return found->second;
    return results_.contains(run_id) ? "" : "without a result";
  }
  const ResultsByCase& results_of(const std::string& run_id) const { return results_.at(run_id); }
  std::size_t without_time() const { return without_time_; }

 private:
  void add(const Record& record) {
    if (record.wrong.value_or(0) > 0)
      reasons_[record.run_id] = "with wrong data";
    else if (is_sensible(record.window.time_us))
      results_[record.run_id][key_of(record)].push_back(&record);
    else
      ++without_time_;
  }
  void add(const EndInfo& end) {
    const auto code = static_cast<ExitCode>(end.exit_code);
    if (code == ExitCode::ok || code == ExitCode::finding || code == ExitCode::interrupted) return;
    reasons_.try_emplace(end.run_id, fmt::format("that ended with exit code {}", end.exit_code));
  }

  std::map<std::string, ResultsByCase> results_;
  std::map<std::string, std::string> reasons_;
  std::size_t without_time_ = 0;
};

void leave_out(Side& side, const std::string& what, const std::string& why, std::size_t n = 1) {
  if (n > 0) side.left_out[{what, why}] += n;
}

// But for one whose run_id the side has.
void add_run(Side& side, SideRun run) {
  if (has_run(side, run.info.run_id))
    leave_out(side, "run", "equal to another");
  else
    side.runs.push_back(std::move(run));
}

}  // namespace

CaseKey key_of(const Record& record) {
  CaseKey key{.collective = record.what.collective,
              .type = record.what.type,
              .redop = record.what.redop,
              .root = record.what.root,
              .nranks = record.nranks,
              .group = record.group,
              .bytes = record.what.bytes,
              .placement = record.what.placement};
  if (record.pair) key.pair = *record.pair;
  if (record.copy) key.cell = cell_of(*record.copy);
  return key;
}

std::string_view name_of(RunStatistic statistic) {
  switch (statistic) {
    case RunStatistic::median:
      return "median";
    case RunStatistic::window:
      return "window";
    case RunStatistic::minimum:
      return "min";
  }
  __builtin_unreachable();
}

std::optional<double> CaseTimes::by(RunStatistic statistic) const {
  switch (statistic) {
    case RunStatistic::median:
      return median_us;
    case RunStatistic::window:
      return window_us;
    case RunStatistic::minimum:
      return min_us;
  }
  __builtin_unreachable();
}

bool Side::has_samples() const {
  return std::ranges::all_of(runs, [](const SideRun& run) {
    return std::ranges::all_of(
        run.cases, [](const auto& of_case) { return of_case.second.median_us.has_value(); });
  });
}

std::vector<std::string> Side::notes() const {
  std::vector<std::string> notes;
  for (const auto& [left, n] : left_out)
    notes.push_back(fmt::format("{} {} {} left out", counted(n, left.first), left.second,
                                n == 1 ? "is" : "are"));
  return notes;
}

bool has_run(const Side& side, std::string_view run_id) {
  return std::ranges::any_of(side.runs,
                             [&](const SideRun& run) { return run.info.run_id == run_id; });
}

Side side_of(std::string name, const RunFile& file) {
  const ResultsOfRuns sorted(file);
  Side side{.name = std::move(name)};
  for (const auto& info : file.runs) {
    if (const auto reason = sorted.reason_against(info.run_id); !reason.empty()) {
      leave_out(side, "run", reason);
      continue;
    }
    SideRun run{.info = info};
    for (const auto& [key, of_case] : sorted.results_of(info.run_id))
      run.cases[key] = times_of(of_case);
    add_run(side, std::move(run));
  }
  leave_out(side, "result", "without a sensible time", sorted.without_time());
  leave_out(side, "last line", "that was cut", file.torn ? 1 : 0);
  return side;
}

void append(Side& side, Side more) {
  for (auto& run : more.runs) add_run(side, std::move(run));
  for (const auto& [left, n] : more.left_out) side.left_out[left] += n;
}

std::size_t runs_in_common(const Side& a, const Side& b) {
  std::set<std::string_view> of_a;
  for (const auto& run : a.runs) of_a.insert(run.info.run_id);
  return static_cast<std::size_t>(std::ranges::count_if(
      b.runs, [&](const SideRun& run) { return of_a.contains(run.info.run_id); }));
}

}  // namespace linerate
