// What is known of a run before anything connects: what it is refused for, and what --list and
// --dry-run print of it.
#pragma once

#include "backends/host/emulation/network.h"
#include "base/error.h"
#include "cli/parse.h"
#include "launch/identity.h"

#include <cstdint>
#include <optional>
#include <string>

namespace linerate {

// What `nranks` ranks, or the groups that they form, cannot run, or do not fit on the network of
// --emulate (null: none); nothing: all is well.
std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks,
                                             const host::Network* network);

// An algorithm that no backend has; nothing: all is well.
std::optional<std::string> algorithm_refusal(const CaseConfig& config);

// What this process' backend and machine cannot do: --fake, several ranks of an MPI process, and
// where it `runs` two buffers of -b beyond the memory. `gpus`: --backend auto takes GPUs of this
// machine.
std::optional<std::string> refusal_here(const RunConfig& config, const Identity& identity,
                                        bool gpus, bool runs);

// --list and --dry-run: what would run, on rank 0's stdout. `nranks` is 0 where only MPI knows;
// `gpus`: as in refusal_here(). REQUIRES: ranks that can run it.
ExitCode preview(const ParsedRun& parsed, const Identity& identity, int nranks, bool gpus);

}  // namespace linerate
