// One core for each thread that is measured.
#pragma once

#include "base/error.h"
#include "bench/probe/cores.h"

#include <cstddef>

namespace linerate::benchmarks {

// Binds the calling thread, and the threads that it creates from now on, to the core that is number
// `index` of those allowed, modulo how many there are. Threads that exist already stay free.
inline void pin_this_thread(int index) {
  const auto cores = probe::allowed_cores();
  if (!probe::pin_to(cores[static_cast<std::size_t>(index) % cores.size()]))
    throw Error("A thread cannot be bound to a core that it may use.");
}

}  // namespace linerate::benchmarks
