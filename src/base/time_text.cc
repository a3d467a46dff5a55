// See time_text.h.
#include "base/time_text.h"

#include <fmt/chrono.h>

namespace linerate {

std::string utc_text(Moment moment) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(moment);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(moment - whole).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), ms);
}

std::string local_text(Moment moment) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(moment)));
}

}  // namespace linerate
