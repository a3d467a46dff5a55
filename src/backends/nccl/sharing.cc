// See sharing.h.
#include "backends/nccl/sharing.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdlib>

namespace linerate::nccl {
namespace {

constexpr int kSharesGpus = NCCL_VERSION(2, 30, 0);
constexpr int kKeep = 0;  // what the user has set stays

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
  char hostname[256] = {};
  (void)gethostname(hostname, sizeof hostname - 1);
  const auto own = fmt::format("{}-{}", hostname, getpid());
  (void)setenv("NCCL_HOSTID", own.c_str(), kKeep);
}

}  // namespace linerate::nccl
