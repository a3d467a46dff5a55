// A backend whose ranks are the threads of one process.
#pragma once

#include "comm/backend.h"

#include <memory>

namespace linerate {

// `backend` over fakes, whose memory other processes do not see: connect() throws Unavailable for
// members of several.
std::unique_ptr<Backend> within_one_process(std::unique_ptr<Backend> backend);

}  // namespace linerate
