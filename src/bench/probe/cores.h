// One thread on one core, and how long a flag takes from one core to another and back.
#pragma once

#include "base/clock.h"

#include <span>
#include <vector>

namespace linerate::probe {

// The cores that the calling thread may use, as affinity masks count, in ascending order.
std::vector<int> allowed_cores();

// Binds the calling thread, and the threads that it creates from now on, to the hardware thread
// that affinity masks call `os_index`. False: it may not run there, and stays where it was.
[[nodiscard]] bool pin_to(int os_index);

// Lets the calling thread run on any of `cores` that its control group leaves, and nowhere else.
// False: it has none of them, and stays where it was.
[[nodiscard]] bool move_to_any(std::span<const int> cores);

// Nanoseconds of one round trip between the hardware threads that affinity masks call `first` and
// `second`, the mean of each of `windows` windows; empty where the process may not use both.
std::vector<double> flag_round_trips_ns(const Clock& clock, int windows, int first, int second);

}  // namespace linerate::probe
