#include "devices/cuda/cuda_marks.h"

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
  events_[index].record(stream_.get());
}

double CudaMarks::us_between(std::size_t first, std::size_t last) {
  return events_[last].us_since(events_[first]);
}

}  // namespace linerate::cuda
