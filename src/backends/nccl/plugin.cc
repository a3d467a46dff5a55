// The entry point of liblinerate-nccl.so.
#include "comm/plugin.h"

#include "backends/nccl/nccl_backend.h"
#include "backends/nccl/profiler/offer.h"
#include "base/environment.h"
#include "devices/cuda/cuda_error.h"

namespace {

using namespace linerate;

std::unique_ptr<Backend> make_backend(const PluginInput& input, JobSession*) {
  const auto& api = cuda::cuda_runtime();
  (void)cuda::require_gpus(api);
  auto library = nccl::load_nccl(input.library);
  auto note = input.observes ? nccl::profiler::offer(library.version) : std::string();
  return nccl::make_nccl_backend(std::move(library),
                                 {.api = api, .kernels = cuda::gpu_kernels(), .clock = input.clock},
                                 std::move(note));
}

constexpr Plugin kPlugin{.name = "nccl", .start = nullptr, .make_backend = make_backend};

}  // namespace

extern "C" const linerate::Plugin* linerate_plugin() { return &kPlugin; }
