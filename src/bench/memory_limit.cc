// See memory_limit.h.
#include "bench/memory_limit.h"

#include "base/error.h"
#include "base/units.h"
#include "bench/plan.h"

#include <fmt/format.h>

namespace linerate {

std::size_t lower_max_bytes(Session& session, RunConfig& config, RunInfo& info) {
  const auto memory = session.rank_memory();
  const auto cap = max_bytes_within(memory);
  if (config.max_bytes <= cap) return memory;
  if (config.min_bytes > cap)
    throw Error(fmt::format("-b {} does not fit: a rank has {} for its two buffers. Choose a "
                            "smaller -b, fewer ranks, or a larger --limit-memory.",
                            bytes_text(config.min_bytes), about_bytes_text(memory)),
                ExitCode::unavailable);
  config.max_bytes = cap;
  info.lowered_max_bytes = cap;
  for (auto& setting : info.settings)
    if (setting.name == "max_bytes") setting.json = fmt::to_string(cap);
  return memory;
}

}  // namespace linerate
