// Asks the RAS service that NCCL has had since 2.24 in each process of a job.
#pragma once

#include "base/result.h"
#include "diagnose/hang/hang.h"
#include "launch/net/socket.h"

namespace linerate {

// Two answers, a second apart. A sentence where nobody answers, or somebody else does. Takes at
// most 3 s to connect, and 60 s for an answer: RAS asks all processes of the job, which may hang.
Result<hang::RasAnswers> ask_ras(const SocketAddress& address);

}  // namespace linerate
