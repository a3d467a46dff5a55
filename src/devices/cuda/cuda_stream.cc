// See cuda_stream.h.
#include "devices/cuda/cuda_stream.h"

#include "base/error.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/device_guard.h"

#include <fmt/format.h>

#include <sched.h>

namespace linerate::cuda {

CudaStream::CudaStream(const CudaApi& api, int device) : api_(api), device_(device) {
  check_cuda(api_, api_.stream_create_with_flags(&stream_, cudaStreamNonBlocking),
             "cudaStreamCreateWithFlags");
}

// Work that still runs keeps what it needs: CUDA frees the stream when it is done.
CudaStream::~CudaStream() { (void)api_.stream_destroy(stream_); }

bool CudaStream::idle() {
  const cudaError_t code = api_.stream_query(stream_);
  if (code == cudaErrorNotReady) return false;
  check_cuda(api_, code, "cudaStreamQuery");
  return true;
}

// Busy, as nccl-tests waits: a sleep would be part of what is measured.
void CudaStream::synchronize(const Deadline& deadline) {
  const DeviceGuard guard(api_, device_);
  while (!idle()) {
    if (check_) check_();
    if (deadline.passed())
      throw TimeoutError(fmt::format("The stream of GPU {} was not done in time.", device_));
    sched_yield();
  }
}

}  // namespace linerate::cuda
