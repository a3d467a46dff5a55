// Whether a line that is not NCCL's own says of itself that it reports an error.
#pragma once

#include "diagnose/log/message.h"

#include <string_view>

namespace linerate::logs {

// error, exception or none.
Level level_of(std::string_view line);

}  // namespace linerate::logs
