// The entry point of liblinerate-nccl.so.
#include "comm/plugin.h"

#include "backends/nccl/nccl_backend.h"
#include "backends/nccl/placement.h"
#include "backends/nccl/profiler/entry_points.h"
#include "devices/cuda/cuda_copy_bench.h"
#include "devices/cuda/cuda_error.h"

#include <utility>

namespace linerate {
namespace {

std::unique_ptr<Backend> make_backend(const PluginInput& input, JobSession*) {
  const auto& api = cuda::cuda_runtime();
  (void)cuda::require_gpus(api);
  auto library = nccl::load_nccl(input.library);
  nccl::allow_sharing(library, input.gpu);
  auto note = input.observes ? nccl::profiler::offer(library.version) : std::string();
  auto cublas = [files = cuda::cublas_files(library.path)] { return cuda::load_cublas(files); };
  return nccl::make_nccl_backend(std::move(library),
                                 {.api = api,
                                  .kernels = cuda::gpu_kernels(),
                                  .clock = input.clock,
                                  .cublas = std::move(cublas)},
                                 input.gpu,
                                 {.note = std::move(note), .kernels = nccl::gpu_device_kernels()});
}

// NCCL itself is not needed.
std::unique_ptr<CopyBench> make_copy_bench(const PluginInput& input) {
  return cuda::make_cuda_copy_bench({.api = cuda::cuda_runtime(),
                                     .kernels = cuda::gpu_kernels(),
                                     .copy_kernels = cuda::gpu_copy_kernels(),
                                     .clock = input.clock});
}

constexpr Plugin kPlugin{
    .name = "nccl",
    .start = nullptr,
    .make_backend = make_backend,
    .version = [](const PluginInput& input) { return make_backend(input, nullptr)->version(); },
    .make_copy_bench = make_copy_bench};

}  // namespace
}  // namespace linerate

extern "C" const linerate::Plugin* linerate_plugin() { return &linerate::kPlugin; }
