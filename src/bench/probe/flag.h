// How long a flag takes from one core to another and back.
#pragma once

#include "base/clock.h"

#include <vector>

namespace linerate::probe {

// Nanoseconds of one round trip between threads on the first two cores, the mean of each of
// `windows` windows; empty where the process has one core.
std::vector<double> flag_round_trips_ns(const Clock& clock, int windows);

// The same between the hardware threads that affinity masks call `first` and `second`; empty where
// the process may not use both.
std::vector<double> flag_round_trips_ns(const Clock& clock, int windows, int first, int second);

}  // namespace linerate::probe
