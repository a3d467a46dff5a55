// One thread on one core.
#pragma once

namespace linerate::probe {

// The cores that the calling thread may use.
int ncores();

// Binds the calling thread, and the threads that it creates from now on, to the core that is number
// `index` modulo ncores() of those allowed. Threads that exist already stay free.
void pin_this_thread(int index);

// Binds the calling thread to the hardware thread that affinity masks call `os_index`. False: it
// may not run there, and stays where it was.
[[nodiscard]] bool pin_to(int os_index);

}  // namespace linerate::probe
