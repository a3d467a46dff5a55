// What a job of ranks is: how many there are, and what carries their data.
#pragma once

#include "comm/backend.h"
#include "comm/gpu_options.h"

#include <optional>
#include <string>

namespace linerate {

// How a job starts. Threads, GPUs, backend, emulation and faults are the same in all its processes,
// which the Job compares; the rest may differ.
struct JobConfig {
  int nprocs = 0;    // --nprocs: processes that are forked here; 0: the launcher has started them
  int nthreads = 1;  // -t: threads of each process
  int ngpus = 1;     // -g: ranks of each thread
  std::string backend = "auto";
  GpuOptions gpu{};                  // of backends on GPUs
  std::optional<int> base_device{};  // NCCL_TESTS_DEVICE
  std::string nccl_library{};        // --nccl-lib; empty: as the linker finds it
  std::string emulate_file{};        // --emulate; empty: the network is what it is
  std::string fake{};                // --fake: what the fake backend injects
  double timeout_s = 0;              // -T; 0: only lost ranks are noticed

  int ranks_per_process() const { return nthreads * ngpus; }
  int ranks_per_thread(const Capabilities& of_backend) const {
    return of_backend.ranks_share_thread ? ngpus : 1;
  }
  double init_timeout_s() const { return timeout_s > 0 ? timeout_s : 300; }
};

}  // namespace linerate
