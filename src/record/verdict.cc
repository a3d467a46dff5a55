#include "record/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::unsure:
      return "unsure";
    case Verdict::low:
      return "low";
    case Verdict::above:
      return "above";
  }
  __builtin_unreachable();
}

namespace {

double surely_low_gbps(const Expectation& expected) { return expected.low_gbps / expected.slack; }

// "low below 6.5"; of a result between them "ok from 6.5, low below 5.2".
std::string threshold_text(const Record& record) {
  constexpr double kNothingIsLow = 100;  // slack: what disturbed it explains everything
  const auto& expected = *record.expected;
  const double low_gbps = surely_low_gbps(expected);
  switch (verdict_of(record)) {
    case Verdict::above:
      return fmt::format("possible {:.4g}", expected.high_gbps);
    case Verdict::unsure:
      if (expected.slack > kNothingIsLow)
        return fmt::format("ok from {:.4g}, too disturbed to be called low", expected.low_gbps);
      return fmt::format("ok from {:.4g}, low below {:.4g}", expected.low_gbps, low_gbps);
    case Verdict::ok:
    case Verdict::low:
      return fmt::format("low below {:.4g}", low_gbps);
  }
  __builtin_unreachable();
}

}  // namespace

Expectation band_below(double bound_gbps, double low_share, std::string bound_by) {
  constexpr double kAbove = 1.05;  // bounds are derived and probed, each within a few percent
  return {.busbw_gbps = bound_gbps,
          .low_gbps = low_share * bound_gbps,
          .high_gbps = kAbove * bound_gbps,
          .bound_by = std::move(bound_by)};
}

double slowest_busbw_gbps(const Record& record) {
  const auto& window = record.window;
  if (window.slowest_us <= 0) return record.busbw_gbps;
  return record.busbw_gbps * window.time_us / window.slowest_us;
}

double disturbance(const Record& record, bool counts_waits) {
  constexpr double kMost = 1e6;
  const auto& window = record.window;
  const double us = std::max(window.time_us, window.slowest_us);
  if (us <= 0) return 1;
  double undisturbed_us = us;
  if (counts_waits)
    for (const double wait_us : window.core_wait_us) undisturbed_us -= std::min(wait_us, us);
  if (record.samples && record.samples->us.median > 0)
    undisturbed_us = std::min(undisturbed_us, record.samples->us.median);
  return us / std::max(undisturbed_us, us / kMost);
}

double efficiency(const Record& record) {
  assert(record.expected);
  const double expected = record.expected->busbw_gbps;
  return expected > 0 ? slowest_busbw_gbps(record) / expected : 0;
}

double possible_efficiency(const Record& record) {
  return efficiency(record) * record.expected->slack;
}

Verdict verdict_of(const Record& record) {
  assert(record.expected);
  const double reached_gbps = slowest_busbw_gbps(record);
  if (reached_gbps > record.expected->high_gbps) return Verdict::above;
  if (reached_gbps >= record.expected->low_gbps) return Verdict::ok;
  return reached_gbps < surely_low_gbps(*record.expected) ? Verdict::low : Verdict::unsure;
}

std::string reached_text(const Record& record) {
  const bool in_place = record.what.placement == Placement::in_place;
  auto what = record.pair ? fmt::format("{}, {} B, rank {} to rank {}", record.what.collective,
                                        record.what.bytes, record.pair->first, record.pair->second)
                          : fmt::format("{} B, {}", record.what.bytes,
                                        in_place ? "in place" : "out of place");
  return fmt::format("{}: got {:.4g} GB/s, expected {:.4g} ({:.2f}), {}, bound by {}", what,
                     slowest_busbw_gbps(record), record.expected->busbw_gbps, efficiency(record),
                     threshold_text(record), record.expected->bound_by);
}

Record widened(Record record, double by) {
  record.expected->slack *= by;
  record.expected->high_gbps *= by;
  return record;
}

const Finding* find_finding(std::span<const Finding> findings, std::string_view rule) {
  const auto found = std::ranges::find(findings, rule, &Finding::rule);
  return found == findings.end() ? nullptr : &*found;
}

}  // namespace linerate
