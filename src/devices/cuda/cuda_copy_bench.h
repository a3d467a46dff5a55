// The GPUs of this machine as memories to copy between.
#pragma once

#include "base/clock.h"
#include "comm/copy_bench.h"
#include "devices/cuda/cuda_api.h"
#include "devices/cuda/kernels.h"
#include "devices/cuda/near_gpu.h"

#include <memory>
#include <string>

namespace linerate::cuda {

// What makes the bench; all outlive it.
struct CudaCopyInput {
  const CudaApi& api;
  const Kernels& kernels;
  const CopyKernels& copy_kernels;
  const Clock& clock;
  std::string pci_devices = kPciDevices;
};

// Throws Unavailable where there is no driver or no GPU.
std::unique_ptr<CopyBench> make_cuda_copy_bench(const CudaCopyInput& input);

}  // namespace linerate::cuda
