// See bound_verdict.h.
#include "commands/bound_verdict.h"

#include "base/log.h"
#include "bench/expect/host_expecter.h"
#include "bench/expect/tcp_hosts.h"

#include <fmt/format.h>

namespace linerate {
namespace {

std::string reason(const RunConfig& config, std::string_view why) {
  if (!config.expects) return "--expect off asks for no bound";
  if (!why.empty()) return std::string(why);
  if (config.collective == nullptr)
    return "pairs of ranks are judged in one host's memory, where a message takes longer than its "
           "way, on emulated networks and on the fake backend";
  return "nobody knows a bound for these calls and sizes";
}

ExitCode tell_unjudged(const RunConfig& config, std::string_view why) {
  const std::string_view advice = "see docs/performance.md for what is known";
  if (config.fail_below) {
    say(fmt::format("--fail-below: nothing was judged: {}. Leave it out, or {}.",
                    reason(config, why), advice));
    return ExitCode::unavailable;
  }
  if (config.lists_verdicts)
    say(fmt::format("note: --verdict: nothing was judged: {}; {}", reason(config, why), advice));
  return ExitCode::ok;
}

}  // namespace

std::string why_unjudged(const RunInfo& run) {
  if (run.nranks < 2) return "one rank alone sends nothing";
  if (run.nranks > HostExpecter::kMaxRanks)
    return fmt::format("the bound of more than {} ranks takes longer than it is worth",
                       HostExpecter::kMaxRanks);
  if (run.nnodes > 1 && run.ngroups > 1)
    return fmt::format(
        "{} groups of ranks share the network of {} hosts, and what is left to each is not known",
        run.ngroups, run.nnodes);
  if (run.nnodes > 1 && is_tcp(run.transport))
    return fmt::format("the bound of {} hosts is their network's, and it could not be probed",
                       run.nnodes);
  if (run.nnodes > 1)
    return fmt::format(
        "the bound of {} hosts is their network's, and how {} uses it is not known", run.nnodes,
        run.transport.empty() ? run.backend : fmt::format("{} ({})", run.backend, run.transport));
  if (run.ngroups == run.nranks)
    return fmt::format("each of the {} groups is one rank alone, which sends nothing", run.ngroups);
  return {};
}

ExitCode judged_by_bound(const RunConfig& config, const RunTotals& totals, std::string_view why) {
  if (!totals.least_efficiency) return tell_unjudged(config, why);
  const auto& wanted = config.fail_below;
  if (!wanted || *totals.least_efficiency >= *wanted) return ExitCode::ok;
  say(fmt::format("--fail-below {}: a result reaches {:.2f} of its bound.", *wanted,
                  *totals.least_efficiency));
  return ExitCode::finding;
}

}  // namespace linerate
