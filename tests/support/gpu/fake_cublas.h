// cuBLAS for tests without GPUs: small products are computed, on the stream that was set.
#pragma once

#include "devices/cuda/cublas_api.h"

namespace linerate::cuda {

// A call takes 16-bit elements of square matrices in the memory of the handle's GPU, which is
// current, with sums of float32; all else is refused as the library refuses what makes no sense.
const CublasApi& fake_cublas();

}  // namespace linerate::cuda
