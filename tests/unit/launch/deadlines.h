// Deadlines of the tests of launch, in real time.
#pragma once

#include "base/clock.h"

namespace linerate {

inline const SteadyClock kClock;

// Nothing reaches it that works, on the slowest machine.
inline Deadline later() { return Deadline::after(kClock, 60); }
inline Deadline soon() { return Deadline::after(kClock, 0.1); }

}  // namespace linerate
