#include "bench/memcpy/memcpy_run.h"

#include "base/error.h"
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate {
namespace {

constexpr double kPercent = 100;
constexpr double kWideSpread = 0.10;    // of the median: beyond it something else ran
constexpr double kLittleOverlap = 0.9;  // of the interval

std::string end_text(int end) {
  return end == kHostEnd ? std::string("host") : fmt::format("gpu{}", end);
}

// "host -> gpu0".
std::string way_text(const CopyStream& stream) {
  return fmt::format("{} -> {}", end_text(stream.from), end_text(stream.to));
}

// The worst of a test's measurements, so that a test says it once.
struct Worst {
  double value = 0;
  std::string where{};
  CopyFigure figure{};
};

class MemcpyRun {
 public:
  MemcpyRun(CopyBench& bench, const CopyRepeat& repeat, const Record& common,
            const MemcpyEvents& events)
      : bench_(bench), repeat_(repeat), common_(common), events_(events) {}

  void run(const CopyPlan& plan);
  const MemcpyTotals& totals() const { return totals_; }

 private:
  void measure_all();
  std::optional<CopyFigure> measure(const CopyMeasurement& what);
  void report(const CopyMeasurement& what, const CopyFigure& figure);
  Record record_of(const CopyMeasurement& what, const CopyFigure& figure, CopyCell cell) const;
  void fill_case(const CopyMeasurement& what, CopyCell cell, Record& record) const;
  void add_stream(const CopyMeasurement& what, const CopyFigure& figure, std::size_t s,
                  Record& record) const;
  void note(const CopyMeasurement& what, const CopyFigure& figure);
  std::string spread_text() const;
  std::string overlap_text() const;
  void warn() const;

  CopyBench& bench_;
  const CopyRepeat& repeat_;
  const Record& common_;
  const MemcpyEvents& events_;
  const CopyPlan* plan_ = nullptr;
  std::map<CopyCell, double> cells_;
  Worst spread_, overlap_;
  MemcpyTotals totals_;
};

// The case, but for what its streams add up to.
void MemcpyRun::fill_case(const CopyMeasurement& what, CopyCell cell, Record& record) const {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  record.what = {.collective = "memcpy_" + plan_->test->name,
                 .type = "uint64",
                 .redop = "none",
                 .bytes = repeat_.bytes,
                 .count = repeat_.bytes / sizeof(std::uint64_t)};
  record.copy = CopyInfo{.engine = std::string(name_of(plan_->test->engine)),
                         .row = plan_->rows[at(cell.first)],
                         .column = plan_->columns[at(cell.second)]};
  const CopyStream& first = what.streams.front();
  if (plan_->test->kind->ends == CopyEnds::pair)
    record.pair = std::pair{first.from, first.to};
  else
    record.group = cell.second;  // so that readers tell the GPUs apart
}

void MemcpyRun::add_stream(const CopyMeasurement& what, const CopyFigure& figure, std::size_t s,
                           Record& record) const {
  const CopyStream& stream = what.streams[s];
  const double bytes = static_cast<double>(figure.copies[s] * repeat_.bytes);
  record.algbw_gbps += gbps_of(bytes, figure.interval_us.median);
  record.copy->streams.push_back({.from = end_text(stream.from),
                                  .to = end_text(stream.to),
                                  .by = end_text(stream.by),
                                  .copies = figure.copies[s],
                                  .gbps = gbps_of(bytes, figure.stream_us[s])});
  if (figure.compared.empty()) return;
  const Comparison& compared = figure.compared[s];
  record.wrong = record.wrong.value_or(0) + compared.wrong;
  if (compared.wrong == 0) return;
  if (!record.where) record.where = WrongWhere{.rank = stream.to, .first = *compared.first};
  record.where->count_per_rank.emplace_back(stream.to, compared.wrong);
  const auto& first = *compared.first;
  events_.warn(
      fmt::format("wrong data in {}, {} bytes, {}: the first of {} wrong 64-bit elements is {}: "
                  "expected {:#x}, "
                  "got {:#x}.",
                  plan_->test->name, repeat_.bytes, way_text(stream), compared.wrong, first.index,
                  first.expected_bits, first.got_bits));
}

Record MemcpyRun::record_of(const CopyMeasurement& what, const CopyFigure& figure,
                            CopyCell cell) const {
  Record record = common_;
  fill_case(what, cell, record);
  const auto rounds = static_cast<double>(figure.rounds);
  stats::Summary us = figure.interval_us;
  for (double* const value : {&us.min, &us.median, &us.mean, &us.p95, &us.p99, &us.max, &us.stdev,
                              &us.ci95_low, &us.ci95_high})
    *value /= rounds;
  record.window = {
      .iters = repeat_.iters, .agg = static_cast<int>(figure.rounds), .time_us = us.median};
  record.samples = SampleInfo{.us = us, .batch = static_cast<int>(figure.rounds)};
  for (std::size_t s = 0; s < what.streams.size(); ++s)
    if (what.cell_of[s] == cell) add_stream(what, figure, s, record);
  record.busbw_gbps = record.algbw_gbps * (plan_->test->kind->in_one_memory() ? 2 : 1);
  return record;
}

void MemcpyRun::report(const CopyMeasurement& what, const CopyFigure& figure) {
  auto cells = what.cell_of;
  std::ranges::sort(cells);
  cells.erase(std::ranges::unique(cells).begin(), cells.end());
  for (const CopyCell& cell : cells) {
    const Record record = record_of(what, figure, cell);
    totals_.failed_checks += record.wrong.value_or(0) > 0 ? 1 : 0;
    cells_[cell] = record.busbw_gbps;
    if (what.symmetric) cells_[{cell.second, cell.first}] = record.busbw_gbps;
    events_.result(record);
  }
}

void MemcpyRun::note(const CopyMeasurement& what, const CopyFigure& figure) {
  const auto where = way_text(what.streams.front());
  if (figure.spread() > std::max(kWideSpread, spread_.value))
    spread_ = {figure.spread(), where, figure};
  const double idle = 1 - figure.overlap();
  if (what.streams.size() > 1 && idle > std::max(1 - kLittleOverlap, overlap_.value))
    overlap_ = {idle, where, figure};
}

std::string MemcpyRun::spread_text() const {
  const auto& us = spread_.figure.interval_us;
  return fmt::format(
      "{}, {}: samples from {:.1f} to {:.1f} us, {:.0f} % of the median (n={}). {}",
      plan_->test->name, spread_.where, us.min, us.max, kPercent * spread_.value, us.n,
      plan_->test->kind->needs_gpu()
          ? "Look for other work on the GPU or the link, and for clocks that change (nvidia-smi -q "
            "-d PERFORMANCE)."
          : "Look for other work on these cores, or give a larger -n.");
}

std::string MemcpyRun::overlap_text() const {
  return fmt::format(
      "{}, {} and what runs with it: one of them ended after {:.0f} % of the interval (n={}), so "
      "the sum is lower than what both reach together. Give a larger -b, or see the streams' own "
      "figures with --jsonl.",
      plan_->test->name, overlap_.where, kPercent * (1 - overlap_.value),
      overlap_.figure.interval_us.n);
}

void MemcpyRun::warn() const {
  if (spread_.value > 0) events_.warn(spread_text());
  if (overlap_.value > 0) events_.warn(overlap_text());
}

// What goes wrong gets the place where it did.
std::optional<CopyFigure> MemcpyRun::measure(const CopyMeasurement& what) {
  try {
    return measure_copies(bench_, what, repeat_, events_.stage, events_.interrupted);
  } catch (const Error& error) {
    const auto others = what.streams.size() - 1;
    throw Error(
        fmt::format("{}, {}{}, {} bytes: {}", plan_->test->name, way_text(what.streams.front()),
                    others > 0 ? fmt::format(" and {} more at once", others) : "", repeat_.bytes,
                    error.what()),
        error.exit_code(), error.where());
  }
}

void MemcpyRun::measure_all() {
  for (const CopyMeasurement& what : plan_->measurements) {
    const auto figure = measure(what);
    totals_.interrupted = !figure;
    if (!figure) return;
    report(what, *figure);
    note(what, *figure);
  }
}

// The cells that were measured are shown also where the run cannot go on.
void MemcpyRun::run(const CopyPlan& plan) {
  plan_ = &plan;
  cells_.clear();
  spread_ = overlap_ = {};
  try {
    measure_all();
  } catch (...) {
    if (!cells_.empty()) events_.matrix(plan, cells_);
    throw;
  }
  events_.matrix(plan, cells_);
  warn();
}

}  // namespace

MemcpyTotals run_memcpy(CopyBench& bench, std::span<const CopyPlan> plans, const CopyRepeat& repeat,
                        const Record& common, const MemcpyEvents& events) {
  MemcpyRun run(bench, repeat, common, events);
  for (const CopyPlan& plan : plans) {
    run.run(plan);
    if (run.totals().interrupted) break;
  }
  return run.totals();
}

}  // namespace linerate
