#include "backends/nccl/comm_config.h"

#include "base/error.h"

#include <fmt/format.h>

#include <cstdlib>

namespace linerate::nccl {
namespace {

constexpr int kHasCtaPolicy = NCCL_VERSION(2, 27, 0);
constexpr int kHasZeroCtaPolicy = NCCL_VERSION(2, 28, 0);
constexpr int kZeroCtaPolicy = 2;
constexpr int kHasNvlinkCentric = NCCL_VERSION(2, 28, 0);

}  // namespace

std::string version_refusal(const NcclApi& api, int wanted, std::string_view what) {
  if (api.version >= wanted) return {};
  return fmt::format(
      "{} needs NCCL {} or newer, and {} is {}: leave it out, or name another library with "
      "--nccl-lib.",
      what, version_text(wanted), api.path.empty() ? "the loaded one" : api.path,
      version_text(api.version));
}

void require_version(const NcclApi& api, int wanted, std::string_view option) {
  if (const auto sentence = version_refusal(api, wanted, option); !sentence.empty())
    throw Unavailable(sentence);
}

ncclConfig_t comm_config(const NcclApi& api, const GpuOptions& options) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  if (is_off("NCCL_COMM_BLOCKING"))
    throw Error(
        "NCCL_COMM_BLOCKING=0 makes NCCL's calls return before they are enqueued, so that "
        "nothing could be timed: unset it.",
        ExitCode::usage);
  if (options.cta_policy) {
    const bool zero = *options.cta_policy == kZeroCtaPolicy;
    require_version(api, zero ? kHasZeroCtaPolicy : kHasCtaPolicy, zero ? "-x 2" : "-x");
    config.CTAPolicy = *options.cta_policy;
  }
  if (options.nccl_tests_config) {
    require_version(api, kHasNvlinkCentric, "--nccl-tests-config");
    config.nvlinkCentricSched = 1;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 30, 0)
    if (options.max_p2p_peers > 0) config.maxP2pPeers = options.max_p2p_peers;
#endif
  }
  if (options.oversubscribe) config.maxCTAs = kMaxSharedCtas;
  return config;
}

bool is_off(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr && *text != '\0' && std::strtoll(text, nullptr, 0) == 0;
}

}  // namespace linerate::nccl
