// See cuda_stream.h.
#include "devices/cuda/cuda_stream.h"

#include "base/error.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_graph.h"
#include "devices/cuda/cuda_marks.h"
#include "devices/cuda/device_guard.h"

#include <fmt/format.h>

#include <sched.h>

#include <optional>

namespace linerate::cuda {

CudaStream::CudaStream(const CudaApi& api, int device, StreamKind kind)
    : api_(api), device_(device) {
  if (kind == StreamKind::null) return;
  check_cuda(api_, api_.stream_create_with_flags(&stream_, cudaStreamNonBlocking),
             on_gpu("cudaStreamCreateWithFlags", device_));
}

// Work that still runs keeps what it needs: CUDA frees the stream when it is done.
CudaStream::~CudaStream() {
  if (stream_ != nullptr) (void)api_.stream_destroy(stream_);
}

// The null stream is that of the current device; the others need no guard, which a wait for several
// GPUs would pay at each turn.
bool CudaStream::idle() {
  std::optional<DeviceGuard> guard;
  if (stream_ == nullptr) guard.emplace(api_, device_);
  const cudaError_t code = api_.stream_query(stream_);
  if (code == cudaErrorNotReady) return false;
  if (code != cudaSuccess) check_cuda(api_, code, on_gpu("cudaStreamQuery", device_));
  return true;
}

// Busy, as nccl-tests waits: a sleep would be part of what is measured.
void CudaStream::synchronize(const Deadline& deadline) {
  while (!idle()) {
    check();
    if (deadline.passed())
      throw TimeoutError(fmt::format("The stream of GPU {} was not done in time.", device_));
    sched_yield();
  }
}

std::unique_ptr<Marks> CudaStream::marks(std::size_t count) {
  return std::make_unique<CudaMarks>(api_, *this, count);
}

// Of this thread only: others go on to call CUDA, and NCCL allocates on its first call.
void CudaStream::begin_capture() {
  check_cuda(api_, api_.stream_begin_capture(stream_, cudaStreamCaptureModeThreadLocal),
             on_gpu("cudaStreamBeginCapture", device_));
}

std::unique_ptr<Graph> CudaStream::end_capture() {
  const DeviceGuard guard(api_, device_);
  cudaGraph_t graph = nullptr;
  check_cuda(api_, api_.stream_end_capture(stream_, &graph),
             on_gpu("cudaStreamEndCapture", device_));
  return std::make_unique<CudaGraph>(api_, graph);
}

}  // namespace linerate::cuda
