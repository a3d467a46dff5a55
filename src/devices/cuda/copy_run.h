// Copies of memcpy_perf on GPUs: streams that start together behind one gate.
#pragma once

#include "comm/copy_bench.h"
#include "comm/device.h"
#include "devices/cuda/copy_kernels.h"
#include "devices/cuda/cuda_api.h"

#include <functional>
#include <memory>

namespace linerate::cuda {

// What makes a run; all outlive it.
struct CopyRunInput {
  const CudaApi& api;
  const CopyKernels& kernels;
  const Clock& clock;
  std::function<Device&(int gpu)> device;     // allocates, fills and compares
  std::function<unsigned(int gpu)> sm_count;  // multiprocessors
};

// REQUIRES: by is a GPU in every stream, and GPUs of one stream reach each other.
std::unique_ptr<CopyRun> make_copy_run(const CopyRunInput& input, const CopyJob& job);

}  // namespace linerate::cuda
