// What a run is refused for before anything connects, as far as one process can tell.
#pragma once

#include "backends/host/emulation/network.h"
#include "cli/run_config.h"
#include "launch/identity.h"

#include <cstdint>
#include <optional>
#include <string>

namespace linerate {

// What `nranks` ranks, or the groups that they form, cannot run, or do not fit on the network of
// --emulate (null: none); nothing: all is well.
std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks,
                                             const host::Network* network);

// What this process' backend and machine cannot do: --fake, several ranks of an MPI process, an
// algorithm that is nowhere, two buffers of -b beyond the memory. `gpus`: there is one here.
std::optional<std::string> refusal_here(const RunConfig& config, const Identity& identity,
                                        bool gpus);

}  // namespace linerate
