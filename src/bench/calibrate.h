// The instrument's own cost: clock and barrier, measured at start and recorded.
#pragma once

#include "bench/session.h"
#include "record/record.h"

namespace linerate {

// Collective over all threads. The clock error is that of the common clock over all processes.
TimingInfo calibrate(Session& session);

}  // namespace linerate
