// The machine as this process may use it: processor model, cores, last-level cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

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

// What tells machines with different limits apart, and is the same after a restart, under another
// host name, in each container with the same cores and for each rank that is bound to some of them:
// processor, packages, memory nodes, caches, the control group's threads by number, and memory.
std::string hardware_text();

// The part of the machine that the calling thread is bound to: an L3 cache, or a memory node where
// no L3 is known, by number; -1 where its cores reach several. As slow as describe_machine().
int domain_of_this_thread();

// One of the hardware threads of a machine, and what it shares with others.
struct HardwareThread {
  int os_index = 0;  // as affinity masks count
  int core = 0;      // the rest by number, equal where they are the same; -1: not known
  int l3 = -1;
  int numa_node = 0;
  int package = 0;

  bool operator==(const HardwareThread&) const = default;
};

enum class ThreadScope : std::uint8_t {
  bound,    // those to which the calling thread is bound
  allowed,  // all that the control group leaves
};

// In the order in which a measurement takes them: all cores of one memory node, then those of the
// next, then the second threads of all cores. Asks hwloc: 5 to 20 ms. Throws Error when it fails.
std::vector<HardwareThread> hardware_threads(ThreadScope scope);
// The same order, of any threads.
std::vector<HardwareThread> cores_first(std::vector<HardwareThread> threads);

// What the PCI bus shows without any driver's help: NVIDIA's display and 3D controllers (vendor
// 0x10de, class 0x03) on the bus that `sysfs` shows, a folder as /sys is. 0 where it cannot be
// read.
int count_nvidia_gpus(const std::filesystem::path& sysfs = "/sys");

}  // namespace linerate
