// A size's place is that of its row in the sweep, which is innermost in the order of the cases.
#include "output/suite_table.h"

#include "collectives/collective.h"
#include "output/numbers.h"
#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace linerate {
namespace {

constexpr std::string_view kUnknown = "-";
constexpr std::string_view kLatency = "p2p_latency";
constexpr std::size_t kMostColumns = 5;
constexpr int kSuiteCell = 9;  // characters of a column, blank included

std::string column_text(std::string_view text) { return fmt::format("{:>{}}", text, kSuiteCell); }

std::string rate_text(double gbps) { return column_text(fitted(gbps, kSuiteCell - 2)); }

// The first of so many places, the last one, and some between them.
std::vector<std::size_t> spread_over(std::size_t places) {
  const auto shown = std::min(places, kMostColumns);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < shown; ++i)
    chosen.push_back(shown == 1 ? 0 : i * (places - 1) / (shown - 1));
  return chosen;
}

// What became of a run, in a word or two.
std::string outcome_of(const EndInfo& end) {
  constexpr int kInterrupted = 130, kUnavailable = 5;
  if (end.failed_checks > 0) return "wrong data";
  if (end.exit_code == kInterrupted) return "interrupted";
  if (end.error) return end.exit_code == kUnavailable ? "not available" : "failed";
  return end.verdict.empty() ? std::string(kUnknown) : end.verdict;
}

}  // namespace

std::string short_size(std::uint64_t bytes) {
  constexpr std::string_view kPrefixes = "KMGT";
  std::size_t prefix = 0;
  while (bytes > 0 && bytes % 1024 == 0 && prefix < kPrefixes.size()) {
    bytes /= 1024;
    ++prefix;
  }
  return prefix == 0 ? fmt::to_string(bytes) : fmt::format("{}{}", bytes, kPrefixes[prefix - 1]);
}

SuiteTable::SuiteTable(std::vector<std::size_t> asked_bytes)
    : asked_bytes_(std::move(asked_bytes)), columns_(spread_over(asked_bytes_.size())) {}

void SuiteTable::begin(const RunInfo& run) {
  const auto* row = find_collective(run.program);
  name_ = row == nullptr ? run.program : std::string(row->name);
  first_of_run_ = lines_.size();
  rows_of_run_ = 0;
}

SuiteTable::Line& SuiteTable::line_of(const Record& record) {
  const auto kind = fmt::format("{} {}", record.what.type, record.what.redop);
  for (std::size_t i = first_of_run_; i < lines_.size(); ++i)
    if (lines_[i].kind == kind) return lines_[i];
  return lines_.emplace_back(Line{.collective = record.what.collective, .kind = kind});
}

void SuiteTable::add(const Record& record) {
  auto& line = line_of(record);
  if (record.what.placement == Placement::out_of_place && !asked_bytes_.empty()) {
    auto& mean = line.busbw[rows_of_run_ % asked_bytes_.size()];
    mean.sum += record.busbw_gbps;
    ++mean.n;
  }
  if (!record.expected || record.busbw_gbps <= 0) return;  // of no bytes
  if (line.lowest && efficiency(record) >= *line.lowest) return;
  line.lowest = efficiency(record);
  line.lowest_bytes = record.what.bytes;
}

void SuiteTable::add_pair(const Record& record) {
  const auto& name = record.what.collective;
  const double value = name == kLatency ? record.window.time_us : record.busbw_gbps;
  const auto [known, fresh] = pairs_.try_emplace(name, Range{record.what.bytes, value, value});
  known->second.least = std::min(known->second.least, value);
  known->second.most = std::max(known->second.most, value);
}

void SuiteTable::row(std::span<const Record> table) {
  for (const auto& record : table) record.pair ? add_pair(record) : add(record);
  ++rows_of_run_;
}

void SuiteTable::end(const EndInfo& end) {
  if (!pairs_.empty()) {
    pairs_outcome_ = outcome_of(end);
    return;
  }
  if (lines_.size() == first_of_run_) lines_.push_back({.collective = name_});
  for (std::size_t i = first_of_run_; i < lines_.size(); ++i) lines_[i].outcome = outcome_of(end);
}

// Type and operator only where they tell lines apart.
std::string SuiteTable::label_of(const Line& line) const {
  const bool alone = std::ranges::count(lines_, line.collective, &Line::collective) == 1;
  return alone ? line.collective : fmt::format("{} {}", line.collective, line.kind);
}

std::size_t SuiteTable::label_width() const {
  std::size_t width = std::string_view("collective").size();
  for (const auto& line : lines_) width = std::max(width, label_of(line).size());
  return width;
}

std::string SuiteTable::heading() const {
  auto text = fmt::format("# {:<{}}", "collective", label_width());
  for (const auto place : columns_) text += column_text(short_size(asked_bytes_[place]));
  return text + column_text("peak") + column_text("at") + column_text("least") + column_text("at") +
         "  verdict\n";
}

std::string SuiteTable::line_text(const Line& line) const {
  auto text = fmt::format("# {:<{}}", label_of(line), label_width());
  for (const auto place : columns_) {
    const auto mean = line.busbw.find(place);
    text += mean == line.busbw.end() ? column_text(kUnknown) : rate_text(mean->second.value());
  }
  const auto best = std::ranges::max_element(
      line.busbw, {}, [](const auto& entry) { return entry.second.value(); });
  const bool any = best != line.busbw.end();
  text += any ? rate_text(best->second.value()) : column_text(kUnknown);
  text += column_text(any ? short_size(asked_bytes_[best->first]) : kUnknown);
  text += column_text(line.lowest ? fmt::format("{:.2f}", *line.lowest) : std::string(kUnknown));
  text += column_text(line.lowest ? short_size(line.lowest_bytes) : kUnknown);
  return text + "  " + line.outcome + "\n";
}

std::string SuiteTable::pairs_text() const {
  const auto outcome = pairs_outcome_ == kUnknown ? "" : fmt::format(", {}", pairs_outcome_);
  std::string text;
  for (const auto& [name, range] : pairs_)
    text += fmt::format("# {}, {} B: {:.2f} to {:.2f} {}{}\n", name, range.bytes, range.least,
                        range.most, name == kLatency ? "us" : "GB/s", outcome);
  return text;
}

std::string SuiteTable::text() const {
  std::string text =
      "# Suite: busbw (GB/s) out of place by size, and its peak; least: of all results, the lowest "
      "share of what was expected\n";
  text += heading();
  for (const auto& line : lines_) text += line_text(line);
  return text + pairs_text();
}

}  // namespace linerate
