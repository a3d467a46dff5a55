// Where what was measured once is kept for later runs.
#pragma once

#include "base/environment.h"

#include <filesystem>
#include <optional>

namespace linerate {

// linerate/ in XDG_CACHE_HOME, or in ~/.cache. Nothing where neither variable is set.
std::optional<std::filesystem::path> cache_folder(const Environment& environment);

}  // namespace linerate
