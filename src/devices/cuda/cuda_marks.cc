// See cuda_marks.h.
#include "devices/cuda/cuda_marks.h"

#include "devices/cuda/cuda_error.h"
#include "devices/cuda/device_guard.h"

namespace linerate::cuda {

CudaMarks::CudaMarks(const CudaApi& api, const CudaStream& stream, std::size_t count)
    : api_(api), stream_(stream) {
  const DeviceGuard guard(api_, stream.device());
  events_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) events_.emplace_back(api_);
}

void CudaMarks::place(std::size_t index) {
  const DeviceGuard guard(api_, stream_.device());
  check_cuda(api_, api_.event_record(events_[index].get(), stream_.get()), "cudaEventRecord");
}

double CudaMarks::us_between(std::size_t first, std::size_t last) {
  constexpr double kUsPerMs = 1e3;
  float ms = 0;
  check_cuda(api_, api_.event_elapsed_time(&ms, events_[first].get(), events_[last].get()),
             "cudaEventElapsedTime");
  return static_cast<double>(ms) * kUsPerMs;
}

}  // namespace linerate::cuda
