// Copies of memcpy_perf on GPUs: streams that start together behind one gate.
#pragma once

#include "base/error.h"
#include "comm/copy_bench.h"
#include "comm/device.h"
#include "devices/cuda/cuda_api.h"
#include "devices/cuda/cuda_stream.h"
#include "devices/cuda/kernels.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace linerate::cuda {

// What makes a run; all outlive it.
struct CopyRunInput {
  const CudaApi& api;
  const CopyKernels& kernels;
  std::function<Device&(int gpu)> device;     // allocates, fills and compares
  std::function<unsigned(int gpu)> sm_count;  // multiprocessors
  std::string pci_devices;                    // of NearGpu
  // Waits until the stream is idle; `what` is done there. Throws not_done() after the job's limit;
  // from then on the calls of `api` that free do nothing.
  std::function<void(CudaStream&, std::string_view what)> wait;
};

// What a wait that lasted too long throws; `gpus` is "GPU 1" or "GPUs 1, 2".
TimeoutError not_done(std::string_view gpus, std::string_view what, double limit_s);

// REQUIRES: by is a GPU in every stream, and GPUs of one stream reach each other.
std::unique_ptr<CopyRun> make_copy_run(const CopyRunInput& input, const CopyJob& job);

}  // namespace linerate::cuda
