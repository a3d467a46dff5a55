// GPUs for tests without one: their memory is the host's, and work is done in the order of streams.
#pragma once

#include "devices/cuda/cuda_api.h"
#include "devices/cuda/kernels.h"

namespace linerate::cuda {

inline constexpr int kFakeGpus = 8;

// kFakeGpus devices of one process. The variable LINERATE_FAKE_GPU_SM holds their compute
// capabilities, "90,80": the last one is that of all others too; without it they are sm_90.
const CudaApi& fake_cuda();

// 90 of sm_90.
int fake_sm(int device);

// The same without a driver: every call that needs one fails.
const CudaApi& fake_cuda_without_driver();

// The kernels' own element functions, in a loop on the host.
const Kernels& kernels_on_host();

// The same elements from the host's generator, which is several times as fast.
const Kernels& generator_on_host();

}  // namespace linerate::cuda
