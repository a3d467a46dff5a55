// The options of linerate replay.
#include "cli/option.h"
#include "cli/replay_config.h"
#include "cli/tokens.h"
#include "cli/values.h"

#include <array>
#include <span>
#include <utility>

namespace linerate {
namespace {

constexpr std::int64_t kMostReplays = 1000;
constexpr auto kGaps = std::to_array<Choice<bool>>({{"keep", true}, {"none", false}});

constexpr auto kReplayRows = std::to_array<OptionRow>({
    {.long_name = "gaps",
     .metavar = "HOW",
     .default_text = "keep",
     .help = "what stands for compute between the calls: keep (each rank waits as long), or none",
     .apply = set_choice<ReplayConfig, kGaps, &ReplayConfig::keeps_gaps>},
    {.long_name = "repeat",
     .metavar = "N",
     .default_text = "5",
     .help = "replays of the whole trace, after one to warm up",
     .apply = set_whole_of<ReplayConfig, 1, kMostReplays, &ReplayConfig::repeats>},
    {.long_name = "jsonl",
     .metavar = "FILE",
     .help = "write the results as lines of JSON",
     .apply = set_file_of<ReplayConfig, &ReplayConfig::jsonl_file>},
    {.long_name = "dry-run",
     .help = "say what the trace holds, and make no calls",
     .apply = set_flag<ReplayConfig, &ReplayConfig::dry_run>},
});

}  // namespace

std::span<const OptionRow> replay_options() { return kReplayRows; }

Result<ReplayConfig> parse_replay(const std::vector<std::string>& words) {
  auto sorted = without_operands(words, Audience::replay);
  ReplayConfig config;
  const auto given = read_options(sorted.options, Audience::replay, config);
  if (!given) return given.failure();
  config.files = std::move(sorted.operands);
  if (config.files.empty())
    return Failure{
        "linerate replay needs a trace: a file of --trace-comm of train_ddp, train_fsdp "
        "or train_3d, or PyTorch's files of all ranks."};
  return config;
}

}  // namespace linerate
