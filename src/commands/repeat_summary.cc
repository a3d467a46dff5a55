// The table: results are gathered by their place in it, and handed to it as records. The lines:
// words that all cases share are left out, because the table above has them.
#include "commands/repeat_summary.h"

#include "base/text.h"
#include "base/units.h"
#include "commands/outputs.h"
#include "compare/comparison.h"
#include "compare/runs.h"
#include "compare/words.h"
#include "output/console_table.h"
#include "output/numbers.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace linerate {
namespace {

using Results = std::vector<const Record*>;

template <typename Number>
double median_over(const Results& results, Number number) {
  std::vector<double> values;
  for (const auto* record : results) values.push_back(number(*record));
  return stats::median(std::move(values));
}

// One placement's cells. What only one run can say, such as its samples, is left out.
Record median_record(const Results& results) {
  const auto& first = *results.front();
  Record record{.run_id = first.run_id,
                .what = first.what,
                .nranks = first.nranks,
                .call = first.call,
                .timestamp = results.back()->timestamp};
  record.window = {.iters = first.window.iters, .agg = first.window.agg};
  record.window.time_us = median_over(results, [](const Record& r) { return r.window.time_us; });
  record.algbw_gbps = median_over(results, [](const Record& r) { return r.algbw_gbps; });
  record.busbw_gbps = median_over(results, [](const Record& r) { return r.busbw_gbps; });
  if (first.window.cpu_us)
    record.window.cpu_us =
        median_over(results, [](const Record& r) { return r.window.cpu_us.value_or(0); });
  if (first.samples) {
    record.samples.emplace();
    using stats::Summary;
    for (const auto number : {&Summary::min, &Summary::max, &Summary::p99, &Summary::cv})
      record.samples->us.*number = median_over(
          results, [&](const Record& r) { return r.samples ? r.samples->us.*number : 0; });
  }
  for (const auto* one : results)
    if (one->wrong) record.wrong = record.wrong.value_or(0) + *one->wrong;
  return record;
}

// A row's case, and within it one placement after the other.
using RowKey = std::tuple<std::string, std::string, int, std::uint64_t>;

RowKey row_of(const CaseInfo& what) { return {what.type, what.redop, what.root, what.bytes}; }

// Rows in the order in which they were first measured.
class Rows {
 public:
  explicit Rows(const RunFile& file) {
    for (const auto& record : file.records) add(record);
  }

  template <typename Show>
  void each(Show show) const {
    for (const auto& placements : rows_) {
      std::vector<Record> row;
      for (const auto& [placement, results] : placements) row.push_back(median_record(results));
      show(row);
    }
  }

 private:
  void add(const Record& record) {
    const auto [found, fresh] = places_.try_emplace(row_of(record.what), rows_.size());
    if (fresh) rows_.emplace_back();
    rows_[found->second][record.what.placement].push_back(&record);
  }

  std::map<RowKey, std::size_t> places_;
  std::vector<std::map<Placement, Results>> rows_;
};

EndInfo end_of(const RunFile& file) {
  EndInfo end{.run_id = file.runs.front().run_id};
  std::vector<double> averages;
  for (const auto& one : file.ends) {
    end.failed_checks += one.failed_checks;
    if (one.average_busbw_gbps) averages.push_back(*one.average_busbw_gbps);
    if (one.error) end.error = one.error;
    if (one.exit_code != 0) end.exit_code = one.exit_code;
  }
  if (!averages.empty()) end.average_busbw_gbps = stats::median(std::move(averages));
  return end;
}

constexpr std::size_t kMostListed = 128;

struct CaseRuns {
  std::vector<double> us{}, gbps{};
};

std::map<CaseKey, CaseRuns> runs_by_case(const Side& side) {
  std::map<CaseKey, CaseRuns> cases;
  for (const auto& run : side.runs)
    for (const auto& [key, times] : run.cases) {
      cases[key].us.push_back(times.window_us);
      cases[key].gbps.push_back(times.busbw_gbps);
    }
  return cases;
}

// Those of `cases` in the order in which they were first measured.
std::vector<CaseKey> in_order(const RunFile& file, const std::map<CaseKey, CaseRuns>& cases) {
  std::vector<CaseKey> keys;
  std::set<CaseKey> seen;
  for (const auto& record : file.records)
    if (auto key = key_of(record); cases.contains(key) && seen.insert(key).second)
      keys.push_back(std::move(key));
  return keys;
}

template <auto Member>
bool is_shared(const std::vector<CaseKey>& keys) {
  return std::ranges::all_of(
      keys, [&](const CaseKey& key) { return key.*Member == keys.front().*Member; });
}

template <auto... Members>
void forget_shared(std::vector<CaseKey>& keys) {
  const auto forget = [&]<auto Member>() {
    if (!is_shared<Member>(keys)) return;
    for (auto& key : keys) key.*Member = CaseKey{}.*Member;
  };
  (forget.template operator()<Members>(), ...);
}

// "float max out_of_place" where types and operators differ; of pairs "sendrecv float 0 and 1".
std::vector<std::string> labels_of(std::vector<CaseKey> keys) {
  std::vector<std::string> words;
  const auto whole = keys;
  forget_shared<&CaseKey::collective, &CaseKey::type, &CaseKey::redop, &CaseKey::root,
                &CaseKey::group>(keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool in_table = whole[i].pair.first < 0 && whole[i].cell.empty();
    auto telling = in_table ? telling_words(keys[i]) : case_words(whole[i]);
    if (!telling.empty()) telling += ' ';
    // With '_': parsers look for the other form.
    telling += in_table ? std::string(name_of(whole[i].placement)) : placement_words(whole[i]);
    words.push_back(std::move(telling));
  }
  return words;
}

std::string line_of(const CaseKey& key, const std::string& words, const CaseRuns& runs) {
  const auto [least, most] = std::ranges::minmax(runs.us);
  return fmt::format("# {:>12}  {}  {:>16}  ({} to {})  {} GB/s\n", key.bytes, words,
                     time_words(side_time(runs.us)), microseconds_text(least),
                     microseconds_text(most), plain(stats::median(runs.gbps)));
}

}  // namespace

bool has_table(const RunConfig& config) { return config.collective != nullptr; }

void print_median_table(const RunConfig& config, const RunFile& file) {
  const auto& run = file.runs.front();
  auto options = table_options(config);
  options.nranks = run.nranks;
  options.registered_ranks = run.registered_ranks;
  options.report_init = false;
  ConsoleTable table(TextFile::standard_output(), options);
  table.begin(run);
  Rows(file).each([&](std::span<const Record> row) { table.row(row); });
  table.end(end_of(file));
}

std::string repeat_summary(const RunFile& file) {
  const auto side = side_of({}, file);
  if (side.runs.empty()) return {};
  const auto cases = runs_by_case(side);
  const auto keys = in_order(file, cases);
  const auto words = labels_of(keys);
  std::size_t width = 0;
  for (const auto& one : words) width = std::max(width, columns_of(one));
  auto text = fmt::format(
      "#\n# Repeated: {}, medians over runs (half the distance of the quartiles, shortest to "
      "longest)\n",
      runs_words(side));
  for (std::size_t i = 0; i < std::min(keys.size(), kMostListed); ++i)
    text += line_of(keys[i], words[i] + std::string(width - columns_of(words[i]), ' '),
                    cases.at(keys[i]));
  if (keys.size() > kMostListed) text += fmt::format("# and {} more\n", keys.size() - kMostListed);
  return text;
}

}  // namespace linerate
