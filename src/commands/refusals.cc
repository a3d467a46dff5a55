// From what is cheapest to know on: options, algorithms, memory.
#include "commands/refusals.h"

#include "backends/fake/fake_options.h"
#include "backends/host/algorithms/algorithm.h"
#include "base/text.h"
#include "base/units.h"
#include "bench/plan.h"
#include "cli/checks.h"
#include "devices/cpu/free_memory.h"
#include "job/backend_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace linerate {
namespace {

constexpr std::int64_t kMaxRanks = 65536;  // that the generated data can tell apart

// The host backend is the only one that can be told. Which backend `auto` means may be known only
// when the processes have met, so that here a name is refused that no backend has.
std::optional<std::string> algorithm_refusal(const CaseConfig& config) {
  if (config.algorithm.empty()) return std::nullopt;
  std::vector<std::string_view> names;
  for (const auto* algorithm : host::all_algorithms()) names.push_back(algorithm->name);
  if (std::ranges::find(names, config.algorithm) != names.end()) return std::nullopt;
  return unknown_choice("algorithm", config.algorithm, names);
}

// Of the ranks that are surely on this machine; the others count once all have met.
std::optional<std::string> memory_refusal(const RunConfig& config) {
  if (config.limit_memory) return std::nullopt;  // the user knows better
  const auto nranks = static_cast<std::size_t>(config.ranks_per_process()) *
                      static_cast<std::size_t>(std::max(1, config.nprocs));
  const auto free = free_memory_bytes();
  if (config.min_bytes <= free / nranks / 2) return std::nullopt;
  return fmt::format(
      "-b/--minbytes {} does not fit: each of {} rank{} needs two buffers of that size, and {} of "
      "memory are free. Choose a smaller -b, or fewer ranks.",
      bytes_text(config.min_bytes), nranks, nranks == 1 ? "" : "s", about_bytes_text(free));
}

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

std::optional<std::string> refusal_here(const RunConfig& config, const Identity& identity,
                                        bool gpus) {
  const ChoiceFacts facts{.launcher = identity.launcher, .gpus = gpus};
  if (auto refusal = backend_refusal(config, facts)) return refusal;
  if (auto refusal = algorithm_refusal(config)) return refusal;
  const bool in_host_memory = choose_backend(config, facts).name != "nccl";
  return in_host_memory ? memory_refusal(config) : std::nullopt;
}

}  // namespace linerate
