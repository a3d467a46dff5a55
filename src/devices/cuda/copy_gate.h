// A gate in front of a stream: what is enqueued behind it starts when it is opened.
#pragma once

#include "devices/cuda/copy_kernels.h"
#include "devices/cuda/cuda_api.h"

namespace linerate::cuda {

// Closed by close(), opened by open(), and never closed for ever: the kernel that waits gives up
// after kGateLimitS seconds. Used by one thread. Outlives the work behind it.
class CopyGate {
 public:
  static constexpr double kGateLimitS = 10;  // enqueueing takes milliseconds

  // Its flags are page-locked memory; throws CudaError where there is none.
  CopyGate(const CudaApi& api, const CopyKernels& kernels);
  ~CopyGate();
  CopyGate(const CopyGate&) = delete;
  CopyGate& operator=(const CopyGate&) = delete;

  // Makes `stream`, of the current device, wait from here on. REQUIRES: nothing waits.
  void close(cudaStream_t stream);
  void open() noexcept;
  // Whether the waiting ended before open(); valid when the work behind the gate is done.
  bool gave_up() const;
  // Whether the GPU went on since close(); asks no GPU, so that it may be one that hangs.
  bool passed() const;

 private:
  const CudaApi& api_;
  const CopyKernels& kernels_;
  GateFlags* flags_ = nullptr;
};

}  // namespace linerate::cuda
