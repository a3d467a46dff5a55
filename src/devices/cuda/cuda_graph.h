// A CUDA graph that can be launched.
#pragma once

#include "comm/stream.h"
#include "devices/cuda/cuda_api.h"

namespace linerate::cuda {

class CudaGraph final : public Graph {
 public:
  // Takes ownership of `graph`. On the device that is current. Throws CudaError.
  CudaGraph(const CudaApi& api, cudaGraph_t graph);
  ~CudaGraph() override;
  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  // REQUIRES: `stream` is a CudaStream.
  void launch(Stream& stream) override;

 private:
  const CudaApi& api_;
  cudaGraphExec_t exec_ = nullptr;
};

}  // namespace linerate::cuda
