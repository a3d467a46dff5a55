// Whether a file tells the truth. Numbers are compared within the digits that are printed.
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "collectives/collective.h"
#include "diagnose/results/results.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace linerate::results {
namespace {

constexpr double kLastDigit = 0.0051;  // half of the second decimal
constexpr double kPrinted = 0.02;      // of a number: at least three digits

// A number with an exponent has two digits.
double tolerance_of_time(double us) {
  constexpr double kFewDigits = 0.06, kExponentUs = 999'999;
  return us >= kExponentUs ? kFewDigits : kPrinted + kLastDigit / us;
}

constexpr double kLeastGbps = 0.5;  // of a result that has digits enough to tell ratios

// The busbw of a result over its algbw.
std::optional<double> factor_of(const Run& run) {
  std::vector<double> factors;
  for (const auto& r : run.results)
    if (r.algbw_gbps >= kLeastGbps && r.busbw_gbps > 0)
      factors.push_back(r.busbw_gbps / r.algbw_gbps);
  if (factors.empty()) return std::nullopt;
  return stats::median(std::move(factors));
}

// Whether algbw is a share of size over time: not of CPU times, nor where ranks differ.
bool is_size_over_time(const Record& r) {
  const auto* collective = find_collective(r.what.collective);
  return (collective == nullptr || !collective->varies) && !r.window.cpu_us && !r.pair && !r.copy &&
         r.what.bytes > 0 && r.window.time_us > 0;
}

double gbps_of(const Record& r) {
  return linerate::gbps_of(static_cast<double>(r.what.bytes), r.window.time_us);
}

// What algbw counts of the size: all of it, or what other ranks have, as all_gather and
// reduce_scatter of old versions and hypercube do.
double counted_share(const Run& run) {
  std::vector<double> shares;
  for (const auto& r : run.results)
    if (is_size_over_time(r) && r.algbw_gbps >= kLeastGbps)
      shares.push_back(r.algbw_gbps / gbps_of(r));
  if (shares.empty() || run.nranks == 1) return 1;
  const double share = stats::median(std::move(shares));
  const double of_others =
      run.nranks == 0 ? std::clamp(share, 0.5, 1.0) : (run.nranks - 1.0) / run.nranks;
  return std::abs(share - of_others) < std::abs(share - 1) ? of_others : 1;
}

// Why algbw or busbw is none of this result; empty: they are.
std::string wrong_number(const Record& r, double share, std::optional<double> factor) {
  if (r.window.time_us < 0) return fmt::format("its time is {} us", r.window.time_us);
  if (is_size_over_time(r)) {
    const double gbps = share * gbps_of(r);
    if (std::abs(r.algbw_gbps - gbps) > kLastDigit + gbps * tolerance_of_time(r.window.time_us))
      return fmt::format("{} B in {:.7g} us are algbw {:.4g}, and not {:.6g}", r.what.bytes,
                         r.window.time_us, gbps, r.algbw_gbps);
  }
  const double busbw = r.algbw_gbps * factor.value_or(0);
  if (factor && std::abs(r.busbw_gbps - busbw) > kLastDigit * (1 + *factor) + kPrinted * busbw)
    return fmt::format("busbw {:.6g} is not {:.4g} times algbw {:.6g}, as at other sizes",
                       r.busbw_gbps, *factor, r.algbw_gbps);
  return {};
}

// The factor of its collective and number of ranks, where both are known for sure.
std::optional<double> known_factor(const Run& run) {
  const auto* collective =
      run.results.empty() ? nullptr : find_collective(run.results.front().what.collective);
  const bool has_groups = run.info.ngroups != 1 ||
                          std::ranges::any_of(run.info.ranks, [](auto& r) { return r.group != 0; });
  const bool alike = std::ranges::all_of(run.results, [&](const Record& r) {
    return r.what.collective == run.results.front().what.collective;
  });
  if (collective == nullptr || has_groups || !alike || run.nranks < 2 || run.jobs > 1)
    return std::nullopt;
  return collective->bus_factor(run.nranks);
}

}  // namespace

std::vector<Seen> rules::wrong_data(const Run& run) {
  const Record* first = nullptr;
  std::size_t wrong = 0;
  for (const auto& r : run.results) {
    if (r.wrong.value_or(0) == 0) continue;
    if (first == nullptr) first = &r;
    ++wrong;
  }
  if (first == nullptr) return {};
  return {{.evidence = fmt::format(
               "{} of {} hold wrong data, the first at {}{}.", wrong,
               counted(run.results.size(), "result"), size_text(*first),
               first->where ? fmt::format(", on rank {}", first->where->rank) : std::string())}};
}

std::vector<Seen> rules::failed_run(const Run& run) {
  if (!run.end) return {};
  const auto code = static_cast<ExitCode>(run.end->exit_code);
  const auto& error = run.end->error;
  if (code == ExitCode::interrupted)
    return {{.evidence = "Its user interrupted it.", .severity = Severity::info}};
  if (error && !error->empty()) return {{.evidence = fmt::format("'{}'.", plain_text(*error))}};
  const bool told = code == ExitCode::ok || code == ExitCode::finding;
  if (told || (code == ExitCode::failed && run.end->failed_checks > 0)) return {};
  return {{.evidence = fmt::format("It ended with exit code {}.", run.end->exit_code)}};
}

// Where each process has its own job, each prints a rank 0.
std::vector<Seen> rules::separate_jobs(const Run& run) {
  if (run.jobs < 2) return {};
  return {
      {.evidence = fmt::format("Rank 0 is listed {} times: these are {} jobs of {}.", run.jobs,
                               run.jobs, counted(static_cast<std::size_t>(run.nranks), "rank"))}};
}

std::vector<Seen> rules::unreadable_rows(const Run& run) {
  if (run.bad_lines.empty()) return {};
  const auto& first = run.bad_lines.front();
  const auto others = run.bad_lines.size() - 1;
  return {{.evidence = fmt::format("Line {} begins like a row and is none: '{}'.{}", first.number,
                                   plain_text(first.text),
                                   others == 0 ? "" : fmt::format(" So do {} more.", others))}};
}

std::vector<Seen> rules::incomplete_run(const Run& run) {
  if (run.end) return {};
  std::uint64_t last = 0, most = 0;
  for (const auto& r : run.results) last = std::max(last, r.what.bytes);
  for (const auto& [name, value] : run.info.settings)
    if (name == "max_bytes")
      most = static_cast<std::uint64_t>(
          parse_integer(name, value).ok() ? *parse_integer(name, value) : 0);
  if (run.info.lowered_max_bytes) most = *run.info.lowered_max_bytes;
  // A size is rounded down to what all ranks can share.
  const bool stops_early = last < most / 2;
  const auto reason = run.torn ? "its last line is cut" : "the lines below the table are missing";
  if (!stops_early)
    return {{.evidence = fmt::format("It does not say how it ended: {}.", reason),
             .severity = run.torn ? Severity::warning : Severity::info}};
  return {{.evidence = fmt::format("It stops at {} of {}, and {}.", bytes_text(last),
                                   bytes_text(most), reason)}};
}

std::vector<Seen> rules::wrong_numbers(const Run& run) {
  if (run.jobs > 1) return {};
  std::vector<Seen> seen;
  const auto factor = run.nranks == 1 ? std::nullopt : factor_of(run);
  const double share = counted_share(run);
  const Record* first = nullptr;
  std::string why;
  std::size_t wrong = 0;
  for (const auto& r : run.results) {
    auto of_result = wrong_number(r, share, factor);
    if (of_result.empty()) continue;
    if (first == nullptr) first = &r, why = std::move(of_result);
    ++wrong;
  }
  if (first != nullptr)
    seen.push_back(
        {.evidence = fmt::format("{} of {}, the first at {}: {}.", wrong,
                                 counted(run.results.size(), "result"), size_text(*first), why)});
  const auto known = known_factor(run);
  if (known && factor && std::abs(*factor - *known) > kPrinted * *known)
    seen.push_back({.evidence = fmt::format("busbw is {:.4g} times algbw; of the {} ranks that are "
                                            "listed it would be {:.4g} times.",
                                            *factor, run.nranks, *known),
                    .severity = Severity::info});  // lines of ranks are often left out
  return seen;
}

std::vector<Seen> rules::wrong_average(const Run& run) {
  constexpr double kOfMean = 0.002;
  if (!run.end || !run.end->average_busbw_gbps || run.results.empty() || run.jobs > 1 ||
      !run.bad_lines.empty() || run.info.ngroups != 1)
    return {};
  double sum = 0;
  for (const auto& r : run.results) sum += r.busbw_gbps;
  const double mean = sum / static_cast<double>(run.results.size());
  const double average = *run.end->average_busbw_gbps;
  if (std::abs(mean - average) <= kLastDigit + kOfMean * mean) return {};
  return {{.evidence = fmt::format("Its last line says {:.6g} GB/s; the mean of its {} is {:.6g}.",
                                   average, counted(run.results.size(), "result"), mean)}};
}

std::vector<Seen> rules::one_rank(const Run& run) {
  if (run.nranks != 1 || run.jobs > 1) return {};
  return {
      {.evidence = "It has one rank: nothing is sent, and its busbw says nothing of a network."}};
}

}  // namespace linerate::results
