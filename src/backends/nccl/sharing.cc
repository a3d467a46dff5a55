// See sharing.h.
#include "backends/nccl/sharing.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <random>

namespace linerate::nccl {
namespace {

constexpr int kSharesGpus = NCCL_VERSION(2, 30, 0);
constexpr int kKeep = 0;  // what the user has set stays

// NCCL takes processes of equal identity for one node: it keeps a hash of the text only. Hostname
// and pid may be the same in two containers.
std::string own_identity() {
  char hostname[256] = {};
  (void)gethostname(hostname, sizeof hostname - 1);
  std::random_device source;
  const auto high = std::uint64_t{source()} << 32;
  return fmt::format("{}-{}-{:016x}", hostname, getpid(), high | source());
}

}  // namespace

Sharing sharing_of(const NcclApi& api, const GpuOptions& options) {
  if (!options.oversubscribe) return Sharing::none;
  return api.version >= kSharesGpus ? Sharing::all : Sharing::processes;
}

void allow_sharing(const NcclApi& api, const GpuOptions& options) {
  if (!options.oversubscribe) return;
  if (api.version >= kSharesGpus) {
    (void)setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", kKeep);
    return;
  }
  (void)setenv("NCCL_HOSTID", own_identity().c_str(), kKeep);
}

}  // namespace linerate::nccl
