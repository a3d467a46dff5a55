// The options of linerate sweep pairs.
#include "base/units.h"
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/sweep_pairs_config.h"
#include "cli/tokens.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>
#include <span>

namespace linerate {
namespace {

constexpr std::int64_t kMostMatchings = 1000;

Refusal set_below(const Argument& given, SweepPairsConfig& config) {
  const auto share = parse_percent(given.label, given.text);
  if (!share) return share.sentence();
  constexpr double kLeast = 0.05, kMost = 0.99;
  if (*share < kLeast || *share > kMost)
    return fmt::format("{} '{}' is out of range: give 5% to 99%.", given.label, given.text);
  config.below = *share;
  return {};
}

constexpr auto kSweepPairsRows = std::to_array<OptionRow>({
    {.short_name = 'e',
     .long_name = "maxbytes",
     .metavar = "SIZE",
     .default_text = "16M",
     .help = "size of the messages",
     .apply = set_bytes<SweepPairsConfig, 1, &SweepPairsConfig::bytes>},
    {.short_name = 'n',
     .long_name = "iters",
     .metavar = "N",
     .default_text = "8",
     .help = "messages each way in one measurement",
     .apply = set_whole_of<SweepPairsConfig, 1, kMaxRepeats, &SweepPairsConfig::iters>},
    {.short_name = 'c',
     .long_name = "check",
     .metavar = "0|1",
     .default_text = "1",
     .help = "verify the data of each measurement's last message",
     .apply = set_whole_of<SweepPairsConfig, 0, 1, &SweepPairsConfig::check>},
    {.long_name = "rounds",
     .metavar = "N",
     .default_text = "8",
     .help = "rounds in which each node has one partner; then suspects are tested",
     .apply = set_whole_of<SweepPairsConfig, 1, kMostMatchings, &SweepPairsConfig::rounds>},
    {.long_name = "below",
     .metavar = "PERCENT",
     .default_text = "95%",
     .help = "the share of what others reach below which something is bad",
     .apply = set_below},
    {.long_name = "seed",
     .metavar = "N",
     .help = "draw the same pairs again; it is printed",
     .apply =
         [](const Argument& given, SweepPairsConfig& config) {
           return set_read(whole_number(given, {}), config.seed);
         }},
    {.long_name = "hostfile",
     .metavar = "FILE",
     .help = "print this hostfile with the lines of bad hosts commented out",
     .apply = set_file_of<SweepPairsConfig, &SweepPairsConfig::hostfile>},
    kJsonRow<SweepPairsConfig>,
    kProgressRow<SweepPairsConfig>,
});

}  // namespace

std::span<const OptionRow> sweep_pairs_options() { return kSweepPairsRows; }

Result<SweepPairsConfig> parse_sweep_pairs(const std::vector<std::string>& words) {
  SweepPairsConfig config;
  const auto given = read_options(words, Audience::sweep_pairs, config);
  if (!given) return given.failure();
  if (config.json && !config.hostfile.empty())
    return Failure{"--json and --hostfile exclude each other: give one of them."};
  return config;
}

}  // namespace linerate
