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
  int domains = 1;           // of which domain_of_this_thread() tells one, at least 1
};

// Asks the system: 5 to 20 ms. Any thread may call it. Throws Error when hwloc fails.
Machine describe_machine();
// The same, whatever the calling thread is bound to: all that the control group leaves.
Machine describe_whole_machine();

// The part of the machine that the calling thread is bound to: an L3 cache, or a memory node where
// no L3 is known, by number; -1 where its cores reach several. As slow as describe_machine().
int domain_of_this_thread();

}  // namespace linerate
