// Whether so many ranks can run what is asked for.
#pragma once

#include "bench/config.h"

#include <cstdint>
#include <optional>
#include <string>

namespace linerate {

// What `nranks` ranks, or the groups that they form, cannot run; nothing: all is well.
std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks);

}  // namespace linerate
