#include "devices/cuda/cuda_graph.h"

#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_stream.h"

namespace linerate::cuda {

CudaGraph::CudaGraph(const CudaApi& api, cudaGraph_t graph) : api_(api) {
  const cudaError_t code = api_.graph_instantiate(&exec_, graph, 0);
  (void)api_.graph_destroy(graph);
  check_cuda(api_, code, "cudaGraphInstantiate");
}

CudaGraph::~CudaGraph() { (void)api_.graph_exec_destroy(exec_); }

void CudaGraph::launch(Stream& stream) {
  const auto& queue = static_cast<CudaStream&>(stream);
  const cudaError_t code = api_.graph_launch(exec_, queue.get());
  if (code != cudaSuccess) check_cuda(api_, code, on_gpu("cudaGraphLaunch", queue.device()));
}

}  // namespace linerate::cuda
