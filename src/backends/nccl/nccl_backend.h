// GPUs over NCCL.
#pragma once

#include "backends/nccl/device_api/device_kernels.h"
#include "backends/nccl/nccl_api.h"
#include "comm/backend.h"
#include "comm/gpu_options.h"
#include "devices/cuda/cuda_device.h"

#include <memory>
#include <string>

namespace linerate::nccl {

// What not every maker of the backend has.
struct NcclExtras {
  std::string note{};       // rank 0 says it on connect(), unless it is empty
  DeviceKernels kernels{};  // those of -D
};

// One thread drives all of its GPUs. What `input` refers to outlives the backend and all that it
// makes. Throws Unavailable where the library is too old for an option.
std::unique_ptr<Backend> make_nccl_backend(NcclApi api, const cuda::CudaDeviceInput& input,
                                           const GpuOptions& options = {}, NcclExtras extras = {});

}  // namespace linerate::nccl
