// Products of matrices on a GPU, by cuBLAS.
#pragma once

#include "comm/multiplier.h"
#include "devices/cuda/cublas_api.h"
#include "devices/cuda/cuda_api.h"

namespace linerate::cuda {

// bfloat16, and float16 on GPUs before sm_80, which have no units for bfloat16. cuBLAS chooses the
// kernels, as it does for a training job.
class CudaMultiplier final : public Multiplier {
 public:
  // Throws Unavailable where cuBLAS does not run on GPU `device`. `cuda` outlives it.
  CudaMultiplier(const CudaApi& cuda, int device, CublasApi cublas);
  // As cuBLAS does it, this waits until the GPU is idle.
  ~CudaMultiplier() override;
  CudaMultiplier(const CudaMultiplier&) = delete;
  CudaMultiplier& operator=(const CudaMultiplier&) = delete;

  DataType type() const override { return type_; }
  std::size_t usual_n() const override { return 8192; }
  // REQUIRES: `stream` is a CudaStream of this GPU.
  void multiply(const SquareProduct& what, Stream& stream) override;

 private:
  const CudaApi& cuda_;
  const int device_;
  const CublasApi cublas_;
  const DataType type_;
  cublasContext* handle_ = nullptr;
};

}  // namespace linerate::cuda
