// Whether so many ranks can run what is asked for.
#pragma once

#include "backends/host/emulation/network.h"
#include "bench/config.h"

#include <cstdint>
#include <optional>
#include <string>

namespace linerate {

// What `nranks` ranks, or the groups that they form, cannot run, or do not fit on the network of
// --emulate (null: none); nothing: all is well.
std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks,
                                             const host::Network* network);

}  // namespace linerate
