// See ranks.h.
#include "commands/ranks.h"

#include "backends/fake/fake_options.h"
#include "bench/groups.h"
#include "cli/checks.h"

#include <fmt/format.h>

namespace linerate {
namespace {

constexpr std::int64_t kMaxRanks = 65536;  // that the generated data can tell apart

}  // namespace

std::optional<std::string> refusal_for_ranks(const RunConfig& config, std::int64_t nranks,
                                             const host::Network* network) {
  if (nranks > kMaxRanks)
    return fmt::format(
        "{} ranks are more than the {} that can run together: use fewer processes, "
        "or a smaller -t or -g.",
        nranks, kMaxRanks);
  if (network != nullptr && nranks > network->nranks())
    return fmt::format(
        "--emulate '{}': {} have no place for {} ranks: use fewer ranks, or more nodes.",
        config.emulate_file, network->places(), nranks);
  if (const auto fake = parse_fake_options(config.fake))
    if (auto refusal = refusal_for_ranks(*fake, nranks)) return refusal;
  for (const auto& [color, size] : group_sizes(config, static_cast<int>(nranks)))
    if (auto refusal = check_against_ranks(config, size)) return refusal;
  return std::nullopt;
}

}  // namespace linerate
