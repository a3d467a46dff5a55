// The conformance program of the nccl backend, over fakes of CUDA and NCCL that move real data:
// with the calls of NCCL 2.28, and with those of 2.18.
#include "backends/nccl/nccl_backend.h"
#include "conformance/backends.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_nccl.h"

#include <array>

namespace linerate::conformance {
namespace {

template <int kVersion>
std::unique_ptr<Backend> make(const Clock& clock) {
  return nccl::make_nccl_backend(
      nccl::fake_nccl(kVersion),
      {.api = cuda::fake_cuda(), .kernels = cuda::generator_on_host(), .clock = clock});
}

bool scales_float8_alone(const Case& c, int nranks) {
  const bool scales = c.op == RedOp::avg || c.op == RedOp::mulsum;
  return nranks == 1 && c.collective->reduces && scales && is_float8(c.type);
}
bool has_float8(const Case& c, int) { return is_float8(c.type); }

constexpr std::array<BackendRow, 2> kBackends{
    {{"Nccl228", make<NCCL_VERSION(2, 28, 9)>, "", scales_float8_alone},
     {"Nccl218", make<NCCL_VERSION(2, 18, 0)>, "", has_float8}}};

constexpr auto kRankCounts = std::to_array<int>({1, 2, 3, 5, 8});

}  // namespace

std::span<const BackendRow> backends_under_test() { return kBackends; }
std::span<const int> rank_counts() { return std::span(kRankCounts).first(kSanitized ? 3 : 5); }
std::span<const BackendRow> algorithms_under_test() { return {}; }

}  // namespace linerate::conformance
