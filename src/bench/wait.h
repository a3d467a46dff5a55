// Waiting for the streams of a thread.
#pragma once

#include "comm/stream.h"

#include <span>

namespace linerate {

// Until all are idle. Each is asked what went wrong in turn, idle or not: the call of one rank may
// wait for that of another, whose stream alone tells. Throws what the streams do.
void wait_for_all(std::span<Stream* const> streams);

}  // namespace linerate
