// One thread on one core.
#pragma once

#include <span>
#include <vector>

namespace linerate::probe {

// The cores that the calling thread may use, as affinity masks count, in ascending order.
std::vector<int> allowed_cores();
int ncores();  // how many

// Binds the calling thread, and the threads that it creates from now on, to the core that is number
// `index` modulo ncores() of those allowed. Threads that exist already stay free.
void pin_this_thread(int index);

// Binds the calling thread to the hardware thread that affinity masks call `os_index`. False: it
// may not run there, and stays where it was.
[[nodiscard]] bool pin_to(int os_index);

// Lets the calling thread run on any of `cores` that its control group leaves, and nowhere else.
// False: it has none of them, and stays where it was.
[[nodiscard]] bool move_to_any(std::span<const int> cores);

}  // namespace linerate::probe
