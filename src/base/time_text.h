// Moments as texts.
#pragma once

#include <chrono>
#include <string>

namespace linerate {

using Moment = std::chrono::system_clock::time_point;

// "2026-05-01T10:00:09.123Z"
std::string utc_text(Moment moment);
// "2026-05-01 12:00:09" in this host's time zone
std::string local_text(Moment moment);

}  // namespace linerate
