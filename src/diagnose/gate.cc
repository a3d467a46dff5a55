// Sentences for stderr.
#include "diagnose/gate.h"

#include "model/host_model.h"
#include "record/verdict.h"

#include <fmt/format.h>

namespace linerate {
namespace {

std::string reason(const Gate& gate, const std::string& why) {
  if (!gate.expects) return "--expect off asks for no bound";
  if (!why.empty()) return why;
  if (gate.pairs)
    return "pairs of ranks have a bound on emulated networks and on the fake backend only";
  return "the bound of these calls and sizes is not known";
}

GateResult nothing_judged(const Gate& gate, const std::string& why) {
  const std::string_view advice = "see docs/verdicts.md for what is known";
  if (gate.fail_below)
    return {ExitCode::unavailable,
            fmt::format("--fail-below: nothing was judged: {}. Leave it out, or {}.",
                        reason(gate, why), advice)};
  if (!gate.lists_verdicts) return {};
  return {ExitCode::ok,
          fmt::format("note: --verdict: nothing was judged: {}; {}", reason(gate, why), advice)};
}

}  // namespace

// On an unstable machine, too: what is slow for whatever reason does not pass.
GateResult pass_gate(const Gate& gate, const Judgement& judgement,
                     const std::string& why_no_bound) {
  if (!judgement.lowest) return nothing_judged(gate, why_no_bound);
  const auto& lowest = *judgement.lowest;
  if (!gate.fail_below || efficiency(lowest) >= *gate.fail_below) return {};
  auto sentence = fmt::format("--fail-below {}: {}.", *gate.fail_below, reached_text(lowest));
  if (const auto* unstable = find_finding(judgement.findings, "unstable_machine"))
    sentence += fmt::format(" The machine was unstable: {} {}; {}.", unstable->subject,
                            unstable->evidence, unstable->advice);
  return {ExitCode::finding, sentence};
}

std::string why_no_bound(const RunInfo& run) {
  if (run.nranks < 2) return "one rank alone sends nothing";
  if (run.nranks > HostModel::kMaxRanks)
    return fmt::format("the bound of more than {} ranks takes longer than it is worth",
                       HostModel::kMaxRanks);
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
  if (run.ngroups > 1)
    return fmt::format(
        "{} groups of ranks share the memory of one host, and what is left to each is not known",
        run.ngroups);
  return {};
}

}  // namespace linerate
