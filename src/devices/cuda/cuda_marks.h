// Points in time of a CUDA stream.
#pragma once

#include "comm/stream.h"
#include "devices/cuda/cuda_event.h"
#include "devices/cuda/cuda_stream.h"

#include <cstddef>
#include <vector>

namespace linerate::cuda {

// Events, with timing; the resolution is CUDA's half a microsecond.
class CudaMarks final : public Marks {
 public:
  // Throws CudaError.
  CudaMarks(const CudaApi& api, const CudaStream& stream, std::size_t count);

  void place(std::size_t index) override;
  double us_between(std::size_t first, std::size_t last) override;

 private:
  const CudaApi& api_;
  const CudaStream& stream_;
  std::vector<CudaEvent> events_;
};

}  // namespace linerate::cuda
