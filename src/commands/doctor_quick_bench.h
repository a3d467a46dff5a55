// linerate doctor --quick-bench: a run of all_reduce on this node, and what its verdict adds to the
// node's report.
#pragma once

#include "commands/child.h"
#include "commands/command.h"
#include "diagnose/node/node.h"
#include "record/json_lines.h"

#include <string>

namespace linerate {

// The check's name in findings and among those that could not run.
inline constexpr std::string_view kQuickBench = "quick-bench";

// Adds to `examined` what a run that ended so, and its records, say: a finding where its verdict is
// low, or where it failed. Yields the plain line of any other verdict; empty: there is none.
std::string judge_quick_bench(const ChildEnd& end, const RunFile& file, node::Examined& examined);

// Takes about ten seconds. Over NCCL where there are GPUs and its module works, else in host
// memory.
std::string quick_bench(const CommandInput& input, node::Examined& examined);

}  // namespace linerate
