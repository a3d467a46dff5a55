#include "replay/outcome.h"

#include "base/text.h"
#include "base/units.h"
#include "record/json_io.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace linerate::replay {
namespace {

using json::Json;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kPercent = 100;
// Times that differ by less are the same: two runs of one job do not differ by less for sure.
constexpr double kSame = 1.2;
constexpr double kMuchWaiting = 0.1;  // of the time in calls

// Of the replays.
struct Spread {
  double median = kNone, least = kNone, most = kNone;
  double low = kNone, high = kNone;  // 95 % interval of the median; of few replays all of them
};

template <typename Of>
Spread spread_of(const std::vector<Times>& replays, Of of) {
  std::vector<double> values;
  for (const auto& times : replays) values.push_back(of(times));
  if (values.empty() || std::ranges::any_of(values, [](double v) { return std::isnan(v); }))
    return {};
  const auto summary = stats::summarize(values);
  const bool many = !std::isnan(summary.ci95_low);
  return {.median = summary.median,
          .least = summary.min,
          .most = summary.max,
          .low = many ? summary.ci95_low : summary.min,
          .high = many ? summary.ci95_high : summary.max};
}

Spread spread_of_row(const Outcome& outcome, std::size_t row) {
  return spread_of(outcome.replays, [&](const Times& times) { return times.call_us[row]; });
}
// All calls of a row, of a rank: mean over ranks.
double row_us(const Plan& plan, std::size_t row, double call_us) {
  return call_us * static_cast<double>(plan.rows[row].units) /
         static_cast<double>(plan.ranks.size());
}

// All calls of a rank, mean over ranks; of rows whose recorded time is known, if any is.
double transfer_us(const Plan& plan, const Outcome& outcome, const Times& times) {
  double sum = 0;
  for (std::size_t i = 0; i < plan.rows.size(); ++i)
    if (outcome.recorded.known == 0 || !std::isnan(outcome.recorded.call_us[i]))
      sum += row_us(plan, i, times.call_us[i]);
  return sum;
}
Spread spread_of_transfer(const Plan& plan, const Outcome& outcome) {
  return spread_of(outcome.replays,
                   [&](const Times& times) { return transfer_us(plan, outcome, times); });
}

std::string number(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}f}", value, digits);
}

std::string sizes_text(const Row& row) {
  const auto least = about_bytes_text(row.least_bytes), most = about_bytes_text(row.most_bytes);
  return least == most ? least : fmt::format("{} - {}", least, most);
}

std::string name_of(const Row& row) {
  return row.purpose.empty() ? row.name : fmt::format("{} ({})", row.name, row.purpose);
}

std::size_t purpose_columns(const Plan& plan) {
  std::size_t columns = std::string_view("purpose").size();
  for (const auto& row : plan.rows) columns = std::max(columns, columns_of(row.purpose));
  return columns;
}

std::string row_text(const Plan& plan, const Outcome& outcome, std::size_t i) {
  const auto& row = plan.rows[i];
  const double recorded = outcome.recorded.call_us[i];
  const auto replayed = spread_of_row(outcome, i);
  const double share =
      outcome.steps_us > 0 ? kPercent * row_us(plan, i, recorded) / outcome.steps_us : kNone;
  auto text = fmt::format("  {:<17} {:<{}} {:>5} {:>23} {:>7} {:>11} {:>7}", row.name, row.purpose,
                          purpose_columns(plan), row.nranks, sizes_text(row), row.instances,
                          number(recorded, 1), number(share, 1));
  if (!outcome.replays.empty())
    text +=
        fmt::format(" {:>11} {:>21} {:>6}", number(replayed.median, 1),
                    fmt::format("[{}, {}]", number(replayed.least, 1), number(replayed.most, 1)),
                    number(recorded / replayed.median, 2));
  return text;
}

std::string head_text(const Plan& plan, const Outcome& outcome) {
  auto text = fmt::format("# {}: {}, {}, {}\n", outcome.trace, outcome.origin,
                          counted(plan.ranks.size(), "rank"), counted(plan.groups.size(), "group"));
  if (!outcome.replays.empty())
    text +=
        fmt::format("# replayed {} on the {} backend, {}\n",
                    counted(outcome.replays.size(), "time"), outcome.backend,
                    outcome.keeps_gaps ? "with the gaps of compute" : "without gaps of compute");
  text += fmt::format("# {:<17} {:<{}} {:>5} {:>23} {:>7} {:>11} {:>7}", "call", "purpose",
                      purpose_columns(plan), "ranks", "size", "calls", "recorded us", "% step");
  if (!outcome.replays.empty())
    text += fmt::format(" {:>11} {:>21} {:>6}", "replayed us", "[least, most]", "ratio");
  return text + '\n';
}

// The row of which most time could be had back, or that takes most.
std::size_t largest(const Plan& plan, const Outcome& outcome, bool of_loss) {
  const auto weight = [&](std::size_t i) {
    const double recorded = row_us(plan, i, outcome.recorded.call_us[i]);
    const double replayed = row_us(plan, i, spread_of_row(outcome, i).median);
    const double us = of_loss ? std::abs(recorded - replayed) : recorded;
    return std::isnan(us) ? 0 : us;
  };
  std::size_t found = 0;
  for (std::size_t i = 1; i < plan.rows.size(); ++i)
    if (weight(i) > weight(found)) found = i;
  return found;
}

// Whose times differ most, in words.
std::string example(const Plan& plan, const Outcome& outcome) {
  const auto i = largest(plan, outcome, true);
  return fmt::format("{}, {}, differs most: {} us a call recorded, {} replayed",
                     name_of(plan.rows[i]), sizes_text(plan.rows[i]),
                     number(outcome.recorded.call_us[i], 1),
                     number(spread_of_row(outcome, i).median, 1));
}

std::string conclusion(const Plan& plan, const Outcome& outcome) {
  const auto replayed = spread_of_transfer(plan, outcome);
  const double recorded = transfer_us(plan, outcome, outcome.recorded);
  const double low = recorded / replayed.high, high = recorded / replayed.low;
  if (low > kSame)
    return fmt::format(
        "# without the model the same calls take {:.2f} times less: this fabric is "
        "not what slows them down in the job; {}",
        recorded / replayed.median, example(plan, outcome));
  if (high < 1 / kSame)
    return fmt::format(
        "# the same calls take {:.2f} times as long as recorded: this fabric, or "
        "its settings, is slower than that of the job; {}",
        replayed.median / recorded, example(plan, outcome));
  if (low < 1 / kSame || high > kSame)
    return fmt::format(
        "# the replays differ too much to tell: recorded is {:.2f} to {:.2f} times "
        "replayed. Give more of them (--repeat), on hosts where nothing else runs",
        low, high);
  const auto i = largest(plan, outcome, false);
  return fmt::format(
      "# without the model the same calls take as long (ratio {:.2f}): the fabric, or its "
      "settings, is what they cost; {}, {}, takes {:.0f} % of it",
      recorded / replayed.median, name_of(plan.rows[i]), sizes_text(plan.rows[i]),
      kPercent * row_us(plan, i, outcome.recorded.call_us[i]) / recorded);
}

std::string ms(double us) { return fmt::format("{:.2f} ms", us / 1e3); }

std::string footer(const Plan& plan, const Outcome& outcome) {
  std::string text;
  const double waiting_us = outcome.recorded.waiting_us;
  const double recorded_us = transfer_us(plan, outcome, outcome.recorded);
  const bool known = outcome.recorded.known > 0;
  std::size_t calls = 0;
  for (const auto& row : plan.rows) calls += row.units;
  if (known) {
    text += fmt::format("# recorded: {} in calls and {} waiting for ranks that came late, per rank",
                        ms(recorded_us), ms(waiting_us));
    if (outcome.steps_us > 0) text += fmt::format("; its steps take {}", ms(outcome.steps_us));
    text += '\n';
  }
  if (outcome.recorded.known < calls)
    text += fmt::format("# the trace does not tell how long {} of {} calls took: {}\n",
                        calls - outcome.recorded.known, calls,
                        known ? "what it tells nothing of is not in the sums"
                              : "it says nothing of the job's fabric");
  if (!outcome.replays.empty()) {
    const auto transfer = spread_of_transfer(plan, outcome);
    const auto waiting =
        spread_of(outcome.replays, [](const Times& times) { return times.waiting_us; });
    text += fmt::format("# replayed: {} [{}, {}] in calls and {} waiting; the whole takes {}\n",
                        ms(transfer.median), ms(transfer.least), ms(transfer.most),
                        ms(waiting.median), ms(stats::median(outcome.whole_us)));
    if (known) text += conclusion(plan, outcome) + '\n';
  }
  if (known && waiting_us > kMuchWaiting * (waiting_us + recorded_us))
    text += fmt::format(
        "# {:.0f} % of the recorded time in calls is waiting for ranks that came "
        "late: no fabric changes that\n",
        kPercent * waiting_us / (waiting_us + recorded_us));
  for (const auto& [what, times] : outcome.assumed)
    text +=
        fmt::format("# the trace does not tell {}: rank 0 of its group stands for it ({} times)\n",
                    what, times);
  for (const auto& [what, times] : outcome.left_out)
    text += fmt::format("# not replayed: {} ({} times)\n", what, times);
  return text;
}

void set(Json& line, const char* key, double value) {
  if (std::isfinite(value)) line[key] = json::rounded(value);
}

Json json_of(const Spread& spread) {
  Json object = Json::object();
  set(object, "median", spread.median);
  set(object, "min", spread.least);
  set(object, "max", spread.most);
  return object;
}

std::string line_of(const Json& object) {
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

UnitTimes recorded_times(const Plan& plan) {
  UnitTimes times;
  for (const auto& units : plan.ranks) {
    auto& mine = times.emplace_back();
    for (const auto& unit : units) mine.push_back(unit.recorded_us());
  }
  return times;
}

Times times_of(const Plan& plan, const UnitTimes& times) {
  std::vector<double> least(plan.instances, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> row_of(plan.instances);
  const auto each = [&](auto act) {
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
      for (std::size_t i = 0; i < plan.ranks[rank].size(); ++i)
        act(plan.ranks[rank][i], times[rank][i]);
  };
  Times found{.call_us = std::vector<double>(plan.rows.size(), kNone)};
  each([&](const Unit& unit, double us) {
    auto& known = least[unit.instance];
    known = std::isnan(us) ? kNone : std::min(known, us);  // stays NaN
    row_of[unit.instance] = unit.row;
  });
  each([&](const Unit& unit, double us) {
    if (std::isnan(least[unit.instance])) return;
    found.waiting_us += us - least[unit.instance];
    ++found.known;
  });
  std::vector<std::size_t> calls(plan.rows.size());
  for (std::size_t i = 0; i < least.size(); ++i) {
    if (!std::isfinite(least[i])) continue;
    auto& sum = found.call_us[row_of[i]];
    sum = calls[row_of[i]]++ == 0 ? least[i] : sum + least[i];
  }
  for (std::size_t row = 0; row < plan.rows.size(); ++row)
    if (calls[row] > 0) found.call_us[row] /= static_cast<double>(calls[row]);
  found.waiting_us /= static_cast<double>(plan.ranks.size());
  return found;
}

std::string text_of(const Plan& plan, const Outcome& outcome) {
  std::vector<std::size_t> order(plan.rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t i) {
      const auto& row = plan.rows[i];
      return std::tuple(row.purpose, row.name, row.nranks, row.least_bytes);
    };
    return key(a) < key(b);
  });
  auto text = head_text(plan, outcome);
  for (const auto i : order) text += row_text(plan, outcome, i) + '\n';
  return text + footer(plan, outcome);
}

std::string json_lines_of(const Plan& plan, const Outcome& outcome) {
  Json run{{"kind", "run"},
           {"schema", 1},
           {"program", "linerate replay"},
           {"trace", outcome.trace},
           {"origin", outcome.origin},
           {"nranks", plan.ranks.size()},
           {"groups", plan.groups.size()}};
  if (!outcome.replays.empty()) {
    run["backend"] = outcome.backend;
    run["gaps"] = outcome.keeps_gaps ? "keep" : "none";
    run["replays"] = outcome.replays.size();
  }
  auto text = line_of(run);
  for (std::size_t i = 0; i < plan.rows.size(); ++i) {
    const auto& row = plan.rows[i];
    Json line{{"kind", "calls"},
              {"op", row.name},
              {"purpose", row.purpose},
              {"nranks", row.nranks},
              {"min_bytes", row.least_bytes},
              {"max_bytes", row.most_bytes},
              {"calls", row.instances},
              {"sent_bytes", row.sent_bytes}};
    set(line, "recorded_us", outcome.recorded.call_us[i]);
    if (!outcome.replays.empty()) line["replayed_us"] = json_of(spread_of_row(outcome, i));
    text += line_of(line);
  }
  Json end{{"kind", "end"}};
  if (outcome.steps_us > 0) set(end, "steps_us", outcome.steps_us);
  if (outcome.recorded.known > 0) {
    set(end, "recorded_us", transfer_us(plan, outcome, outcome.recorded));
    set(end, "recorded_waiting_us", outcome.recorded.waiting_us);
  }
  if (!outcome.replays.empty()) {
    end["replayed_us"] = json_of(spread_of_transfer(plan, outcome));
    end["replayed_waiting_us"] =
        json_of(spread_of(outcome.replays, [](const Times& times) { return times.waiting_us; }));
    set(end, "whole_us", stats::median(outcome.whole_us));
  }
  end["left_out"] = outcome.left_out;
  if (!outcome.assumed.empty()) end["assumed"] = outcome.assumed;
  return text + line_of(end);
}

}  // namespace linerate::replay
