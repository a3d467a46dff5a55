// A GPU as a device.
//
//   cuda_api, cuda_error    the runtime's calls as a table, and their failures as errors of ours
//   cuda_stream             streams, events, graphs, marks
//   kernels, element        kernels that fill and compare, and one element of them
//   cublas_api, cuda_multiplier  products of matrices, by NVIDIA's library where it is found
//   cuda_copy_bench         memcpy_perf on GPUs: copy_run makes copy_queues start behind one gate
// The tables let tests put fakes in the place of a driver and of kernels.
#pragma once

#include "base/clock.h"
#include "comm/device.h"
#include "devices/cuda/cublas_api.h"
#include "devices/cuda/cuda_api.h"
#include "devices/cuda/cuda_stream.h"
#include "devices/cuda/kernels.h"

#include <functional>
#include <memory>
#include <string_view>

namespace linerate::cuda {

// What makes a GPU device; all outlive it.
struct CudaDeviceInput {
  const CudaApi& api;
  const Kernels& kernels;
  const Clock& clock;
  // Waits until the stream is idle; `what` is done there. What it throws, fill() and count_wrong()
  // throw. Empty: waits for ever, as where a watch ends the process.
  std::function<void(CudaStream&, std::string_view what)> wait{};
  // Loads what multiplier() needs, or throws Unavailable. Empty: as the dynamic linker finds it.
  std::function<CublasApi()> cublas{};
};

// `index` counts the GPUs that this process may see. Throws Unavailable where there is none, or
// `index` is not among them. Its memory kinds: device and registered are cudaMalloc's,
// pinned and host are page-locked host memory.
std::unique_ptr<Device> make_cuda_device(int index, const CudaDeviceInput& input);

}  // namespace linerate::cuda
