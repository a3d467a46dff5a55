// The table of the real functions.
#include "devices/cuda/cuda_api.h"

namespace linerate::cuda {

const CudaApi& cuda_runtime() {
#define CALL(entry, function) .entry = (function),
#define OVERLOADED(entry, function, type) .entry = (function),
  static constexpr CudaApi kRuntime{LINERATE_CUDA_CALLS(CALL, OVERLOADED)};
#undef CALL
#undef OVERLOADED
  return kRuntime;
}

}  // namespace linerate::cuda
