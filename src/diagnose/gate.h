// What judged results mean for the exit code, and why there may be none.
#pragma once

#include "base/error.h"
#include "diagnose/judge.h"

#include <optional>
#include <string>

namespace linerate {

// What the command line asks of the verdict.
struct Gate {
  std::optional<double> fail_below{};  // --fail-below
  bool lists_verdicts = false;         // --verdict
  bool expects = true;                 // false: --expect off
  bool pairs = false;                  // p2p_perf
};

struct GateResult {
  ExitCode code = ExitCode::ok;
  std::string sentence{};  // for stderr; empty: none
};

// `why_no_bound` is in words that follow a colon; empty where no bound was looked for.
GateResult pass_gate(const Gate& gate, const Judgement& judgement, const std::string& why_no_bound);

// Why ranks on host memory have no bound. REQUIRES: their backend knows no fault-free time, and
// they were not probed.
std::string why_no_bound(const RunInfo& run);

}  // namespace linerate
