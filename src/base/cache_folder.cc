// See cache_folder.h.
#include "base/cache_folder.h"

namespace linerate {

std::optional<std::filesystem::path> cache_folder(const Environment& environment) {
  if (const auto cache = environment.get("XDG_CACHE_HOME"); cache && !cache->empty())
    return std::filesystem::path(*cache) / "linerate";
  if (const auto home = environment.get("HOME"); home && !home->empty())
    return std::filesystem::path(*home) / ".cache" / "linerate";
  return std::nullopt;
}

}  // namespace linerate
