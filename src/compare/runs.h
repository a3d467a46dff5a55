// Two series of runs beside each other: `linerate compare`.
//
//   runs.h         the runs of one side: each case's time in each of them
//   import.h       text and JSON that others print, as runs
//   differences.h  what was not the same on both sides, and what then cannot be compared
//   comparison.h   both sides, case by case, with stats/compare.h; the order of their turns
//   text.h         a comparison for a terminal, as Markdown, JSON and JUnit's XML
#pragma once

#include "record/json_lines.h"
#include "record/record.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {

// What has to be equal for two results to be of one case.
struct CaseKey {
  std::string collective{}, type{}, redop{};
  int root = -1;
  int nranks = 0;
  int group = 0;
  std::uint64_t bytes = 0;
  Placement placement = Placement::out_of_place;
  std::pair<int, int> pair{-1, -1};  // p2p, memcpy
  std::string cell{};                // memcpy: engine, row and column

  auto operator<=>(const CaseKey&) const = default;
};
CaseKey key_of(const Record& record);

// Which number stands for a result of one run.
enum class RunStatistic : std::uint8_t {
  median,   // of its samples
  window,   // the table's time: the mean of calls back to back
  minimum,  // of its samples
};
std::string_view name_of(RunStatistic statistic);

// Times of one case in one run, us. Where a run measured it several times (-N), medians of these.
struct CaseTimes {
  double window_us = 0;
  double busbw_gbps = 0;
  std::uint64_t touched_bytes = 0;              // of a rank's buffers, by all calls; 0: not told
  std::optional<double> median_us{}, min_us{};  // nothing where there are no samples

  std::optional<double> by(RunStatistic statistic) const;
};

struct SideRun {
  RunInfo info{};
  std::map<CaseKey, CaseTimes> cases{};
};

// A or B.
struct Side {
  std::string name{};  // the file, the baseline or the command
  std::vector<SideRun> runs{};
  // What was left out: what it is ("run"), why ("with wrong data"), and how many there are.
  std::map<std::pair<std::string, std::string>, std::size_t> left_out{};

  bool has_samples() const;                // in every result
  std::vector<std::string> notes() const;  // "2 runs with wrong data are left out"
};

// Left out are runs without a result, those with wrong data or another failure, all but the first
// of those with one run_id, and results whose time is 0 or beyond any call's.
Side side_of(std::string name, const RunFile& file);
// Appends the runs of another file of the same side, but for those that it has.
void append(Side& side, Side more);
bool has_run(const Side& side, std::string_view run_id);
// How many runs are on both sides.
std::size_t runs_in_common(const Side& a, const Side& b);

}  // namespace linerate
