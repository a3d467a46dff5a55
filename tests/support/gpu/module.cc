// A stand-in for liblinerate-nccl.so: the nccl backend and memcpy_perf's copies over the fakes of
// CUDA and NCCL, so that the programs run as they do on GPUs. LINERATE_FAKE_NCCL says what goes
// wrong, and LINERATE_FAKE_CUBLAS=0 that there is no cuBLAS.
#include "backends/nccl/nccl_backend.h"
#include "backends/nccl/placement.h"
#include "backends/nccl/profiler/entry_points.h"
#include "comm/plugin.h"
#include "devices/cuda/cuda_copy_bench.h"
#include "support/gpu/fake_cublas.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_faults.h"
#include "support/gpu/fake_nccl.h"
#include "support/gpu/fake_timeline.h"
#include "support/gpu/one_process.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace linerate {
namespace {

constexpr int kSlowGpu = 3;                    // so that a matrix has a lowest cell
constexpr std::size_t kBrokenByte = 8 * 1000;  // of a copy: element 1000

void read_faults() {
  const char* const faults = std::getenv("LINERATE_FAKE_NCCL");
  nccl::set_fake_faults(faults == nullptr ? "" : faults);
}

cuda::CublasApi cublas() {
  const std::vector<std::string> none{"libcublas-of-no-release.so"};
  return nccl::switched_off("LINERATE_FAKE_CUBLAS") ? cuda::load_cublas(none) : cuda::fake_cublas();
}

std::unique_ptr<Backend> make_backend(const PluginInput& input, JobSession*) {
  const char* const version = std::getenv("LINERATE_FAKE_NCCL_VERSION");
  read_faults();
  auto library = nccl::fake_nccl(version == nullptr ? NCCL_VERSION_CODE : std::atoi(version));
  nccl::allow_sharing(library, input.gpu);
  auto note = input.observes ? nccl::profiler::offer(library.version) : std::string();
  return within_one_process(nccl::make_nccl_backend(
      std::move(library),
      {.api = cuda::fake_cuda(),
       .kernels = cuda::kernels_on_host(),
       .clock = input.clock,
       .cublas = cublas},
      input.gpu, {.note = std::move(note), .kernels = nccl::device_kernels_on_host()}));
}

void break_copies(cuda::FakeTimeline& gpus) {
  using Kind = nccl::FakeFault::Kind;
  const auto fault = nccl::fake_fault();
  const auto good = static_cast<std::int64_t>(fault.call) - 1;
  gpus.faulty_gpu = fault.rank;
  gpus.waits_for_ever = true;
  if (fault.kind == Kind::copy_fails) gpus.fail_copy_in = good;
  if (fault.kind == Kind::copy_hangs) gpus.hang_copy_in = good;
  if (fault.kind == Kind::copy_wrong) gpus.broken_byte = kBrokenByte;
}

// The GPUs are there until the process ends: as CUDA does, they then wait for work that hangs.
std::unique_ptr<CopyBench> make_copy_bench(const PluginInput&) {
  static cuda::FakeTimeline gpus({.slow_gpu = kSlowGpu});
  read_faults();
  break_copies(gpus);
  return cuda::make_cuda_copy_bench({.api = cuda::fake_timeline_cuda(),
                                     .kernels = cuda::fake_timeline_fills(),
                                     .copy_kernels = cuda::fake_timeline_kernels(),
                                     .clock = gpus.clock()});
}

constexpr Plugin kPlugin{.name = "nccl",
                         .start = nullptr,
                         .make_backend = make_backend,
                         .make_copy_bench = make_copy_bench};

}  // namespace
}  // namespace linerate

extern "C" const linerate::Plugin* linerate_plugin() { return &linerate::kPlugin; }
