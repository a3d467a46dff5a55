#include "output/progress.h"

#include "base/error.h"
#include "output/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate {
namespace {

constexpr double kBetweenLines_s = 10;  // of a log
constexpr double kShortest_s = 1e-9;    // a row of no time has no relative error
constexpr std::size_t kFewestRows = 2;  // the model has two parameters
constexpr const char* kEraseLine = "\r\x1b[K";

struct RowModel {
  double fixed_s = 0;
  double per_byte_s = 0;
};

// Least squares of the relative error: minimise sum ((fixed + bytes * per_byte - s) / s)^2. Where
// one part would be negative it is 0 and the other alone is fitted.
RowModel fit(std::span<const FinishedRow> rows) {
  double s1 = 0, s2 = 0, b1 = 0, b2 = 0, sb = 0;
  for (const auto& row : rows) {
    const double weight = 1 / std::max(row.seconds, kShortest_s);
    const double scaled = static_cast<double>(row.bytes) * weight;
    s1 += weight;
    s2 += weight * weight;
    b1 += scaled;
    b2 += scaled * scaled;
    sb += weight * scaled;
  }
  const double determinant = s2 * b2 - sb * sb;
  if (determinant > 1e-12 * s2 * b2) {
    const RowModel both{(s1 * b2 - b1 * sb) / determinant, (s2 * b1 - sb * s1) / determinant};
    if (both.fixed_s >= 0 && both.per_byte_s >= 0) return both;
    if (both.fixed_s < 0 && b2 > 0) return {0, b1 / b2};
  }
  return {s1 / s2, 0};
}

}  // namespace

std::optional<double> seconds_left(std::span<const FinishedRow> finished,
                                   std::span<const std::uint64_t> to_do) {
  if (finished.size() < kFewestRows) return std::nullopt;
  const RowModel model = fit(finished);
  double seconds = 0;
  for (const auto bytes : to_do)
    seconds += model.fixed_s + model.per_byte_s * static_cast<double>(bytes);
  return seconds;
}

ProgressStyle progress_style(std::optional<bool> forced, bool terminal) {
  if (!forced.value_or(terminal)) return ProgressStyle::off;
  return terminal ? ProgressStyle::updating : ProgressStyle::lines;
}

Progress::Progress(Sink& inner, const Clock& clock, TextFile out, ProgressPlan plan)
    : inner_(inner), clock_(clock), out_(std::move(out)), plan_(std::move(plan)) {
  finished_.reserve(plan_.row_bytes.size());
}

void Progress::begin(const RunInfo& run) {
  program_ = run.program;
  began_s_ = row_began_s_ = shown_s_ = now_s();
  inner_.begin(run);
  show();
}

void Progress::result(const Record& record) { inner_.result(record); }

void Progress::row(std::span<const Record> table) {
  finish_row();
  clear();
  inner_.row(table);
  show();
}

void Progress::end(const EndInfo& end) {
  clear();
  inner_.end(end);
}

double Progress::now_s() const { return static_cast<double>(clock_.now_ns()) * 1e-9; }

void Progress::finish_row() {
  const double now = now_s();
  if (const auto& cycle = plan_.row_bytes; !cycle.empty()) {
    const auto place = static_cast<std::size_t>(rows_done_ % cycle.size());
    if (finished_.size() <= place) finished_.emplace_back();
    finished_[place] = {cycle[place], now - row_began_s_};
  }
  ++rows_done_;
  row_began_s_ = now;
}

// The rest of this cycle, and the cycles after it.
std::optional<double> Progress::forecast_s() const {
  if (rows_done_ >= rows_planned()) return std::nullopt;
  const std::span<const std::uint64_t> cycle(plan_.row_bytes);
  const auto rest = seconds_left(finished_, cycle.subspan(rows_done_ % cycle.size()));
  const auto whole = seconds_left(finished_, cycle);
  if (!rest) return std::nullopt;
  const auto cycles_after = plan_.cycles - rows_done_ / cycle.size() - 1;
  return *rest + *whole * static_cast<double>(cycles_after);
}

std::string Progress::line() const {
  const auto elapsed = duration_text(now_s() - began_s_);
  if (rows_done_ > rows_planned() || rows_planned() == 0)
    return fmt::format("{}: {} rows in {}", program_, rows_done_, elapsed);
  auto text = fmt::format("{}: {} of {} rows in {}", program_, rows_done_, rows_planned(), elapsed);
  if (const auto left_s = forecast_s())
    text += fmt::format(", about {} left", duration_text(*left_s));
  return text;
}

void Progress::clear() {
  if (std::exchange(visible_, false)) print(kEraseLine);
}

// A terminal's line was just cleared, so it is drawn again each time.
void Progress::show() {
  if (plan_.style == ProgressStyle::off) return;
  const bool updating = plan_.style == ProgressStyle::updating;
  if (!updating && now_s() - shown_s_ < kBetweenLines_s) return;
  shown_s_ = now_s();
  print(updating ? line() : line() + '\n');
  visible_ = updating;
}

void Progress::print(const std::string& text) {
  try {
    out_.write(text);
  } catch (const SystemError&) {
    plan_.style = ProgressStyle::off;
  }
}

}  // namespace linerate
