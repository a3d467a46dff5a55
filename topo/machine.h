// The machine as this process may use it: processor model, cores, last-level cache.
#pragma once

#include <cstddef>
#include <string>

namespace linerate {

// Cores and caches are those that affinity and control group leave to the calling thread.
struct Machine {
  std::string cpu_model;     // "AMD EPYC 9654 96-Core Processor"; "unknown CPU" where nobody tells
  int cores = 1;             // physical, at least 1
  int threads = 1;           // hardware threads of them
  std::size_t l3_bytes = 0;  // all L3 caches that those cores reach, together; 0: none known
};

// Asks the system: 5 to 20 ms. Any thread may call it. Throws Error when hwloc fails.
Machine describe_machine();

}  // namespace linerate
