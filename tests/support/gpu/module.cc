// A stand-in for liblinerate-nccl.so: the nccl backend over the fakes of CUDA and NCCL, so that the
// programs run as they do on GPUs. LINERATE_FAKE_NCCL says what goes wrong.
#include "backends/nccl/nccl_backend.h"
#include "backends/nccl/profiler/offer.h"
#include "backends/nccl/sharing.h"
#include "comm/plugin.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_faults.h"
#include "support/gpu/fake_nccl.h"
#include "support/gpu/one_process.h"

#include <cstdlib>

namespace linerate {
namespace {

std::unique_ptr<Backend> make_backend(const PluginInput& input, JobSession*) {
  const char* const version = std::getenv("LINERATE_FAKE_NCCL_VERSION");
  const char* const faults = std::getenv("LINERATE_FAKE_NCCL");
  nccl::set_fake_faults(faults == nullptr ? "" : faults);
  auto library = nccl::fake_nccl(version == nullptr ? NCCL_VERSION_CODE : std::atoi(version));
  nccl::allow_sharing(library, input.gpu);
  auto note = input.observes ? nccl::profiler::offer(library.version) : std::string();
  return within_one_process(nccl::make_nccl_backend(
      std::move(library),
      {.api = cuda::fake_cuda(), .kernels = cuda::kernels_on_host(), .clock = input.clock},
      input.gpu, {.note = std::move(note), .kernels = nccl::device_kernels_on_host()}));
}

constexpr Plugin kPlugin{.name = "nccl", .start = nullptr, .make_backend = make_backend};

}  // namespace
}  // namespace linerate

extern "C" const linerate::Plugin* linerate_plugin() { return &linerate::kPlugin; }
