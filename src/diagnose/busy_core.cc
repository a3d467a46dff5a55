// Ranks whose cores others had while the results were measured, as the kernel counted it.
#include "diagnose/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace linerate {
namespace {

// Below it a rank is hardly slower for it; work of the system comes to a few percent.
constexpr double kBusy = 0.1;

std::string subject_of(const std::vector<std::size_t>& busy, std::size_t nthreads) {
  constexpr std::size_t kMaxNamed = 3;
  if (busy.size() > kMaxNamed) return fmt::format("{} of {} ranks", busy.size(), nthreads);
  auto text = fmt::format("rank {}", busy.front());
  for (std::size_t i = 1; i < busy.size(); ++i)
    text += fmt::format("{} rank {}", i + 1 == busy.size() ? " and" : ",", busy[i]);
  return text;
}

}  // namespace

std::vector<double> waiting_shares(const RunInfo& run, std::span<const Record> results) {
  if (run.nccl_version > 0 || shares_cores(run, run.ranks)) return {};
  std::vector<double> waited_us;
  double measured_us = 0;
  for (const auto& record : results) {
    const auto& window = record.window;
    if (window.core_wait_us.empty()) continue;
    const double calls = static_cast<double>(window.iters) * window.agg;
    waited_us.resize(std::max(waited_us.size(), window.core_wait_us.size()));
    for (std::size_t thread = 0; thread < window.core_wait_us.size(); ++thread)
      waited_us[thread] += calls * window.core_wait_us[thread];
    measured_us += calls * std::max(window.time_us, window.slowest_us);
  }
  if (measured_us <= 0) return {};
  for (auto& us : waited_us) us /= measured_us;
  return waited_us;
}

std::vector<Finding> rules::busy_core(const Evidence& evidence) {
  const auto shares = waiting_shares(evidence.run, evidence.results);
  if (shares.empty()) return {};
  const double named =
      std::max(kBusy, std::ranges::max(shares) / 2);  // who waits much less is none
  std::vector<std::size_t> busy;
  for (std::size_t thread = 0; thread < shares.size(); ++thread)
    if (shares[thread] >= named) busy.push_back(thread);
  if (busy.empty()) return {};
  constexpr double kPercent = 100;
  return {{.subject = subject_of(busy, shares.size()),
           .evidence = fmt::format("waited for a core {:.0f} % of the time",
                                   kPercent * std::min(1.0, std::ranges::max(shares))),
           .advice = "see what else runs on these cores, and bind each rank to one of its own"}};
}

}  // namespace linerate
