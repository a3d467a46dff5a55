// The options of what the trainers print and write.
#include "base/text.h"
#include "base/units.h"
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/train_config.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>

namespace linerate {
namespace {

constexpr std::int64_t kMaxTracedSteps = 1'000'000'000;

// "20", which is 1:20, or "100:110".
Refusal set_traced_steps(const Argument& given, TrainOptions& options) {
  const auto ends = split(given.text, ':');
  auto& trace = options.trace;
  const WholeRange range{1, kMaxTracedSteps};
  const bool one = ends.size() == 1;
  if (ends.size() > 2 || (!one && set_whole({given.label, ends.front()}, range, trace.first)) ||
      set_whole({given.label, ends.back()}, range, trace.last) || trace.last < trace.first)
    return fmt::format(
        "{} '{}' are no steps: give how many of the first ones, such as 20, or the first and the "
        "last, such as 100:110.",
        given.label, given.text);
  return {};
}

Refusal set_slow_rank(const Argument& given, TrainOptions& options) {
  const auto parts = split(given.text, ':');
  auto& slow = options.train.slow_rank;
  if (parts.size() != 2 || set_whole({given.label, parts.front()}, {0, kMaxRanks}, slow.rank))
    return fmt::format("{} '{}' is not RANK:TIME, such as 1:50ms.", given.label, given.text);
  return set_read(parse_seconds(given.label, parts.back()), slow.extra_s);
}

constexpr auto kTrainingOutputRows = std::to_array<OptionRow>({
    {.long_name = "jsonl",
     .metavar = "FILE",
     .help = "write a line of JSON for the run, for each step, and for its end",
     .apply = set_file_of<TrainOptions, &TrainOptions::jsonl_file>},
    kWatchHealthRow<TrainOptions>,
    {.long_name = "trace",
     .metavar = "FILE",
     .help = "write when each rank computed, communicated and waited, for Perfetto or "
             "chrome://tracing",
     .note = "JSON of Chrome's Trace Event Format, see [trainers](trainers.md#trace). A file that "
             "exists is kept: the trace goes to FILE.0, FILE.1, ….",
     .apply = set_file_of<TrainOptions, &TrainOptions::trace, &TraceOptions::file>},
    {.long_name = "trace-comm",
     .metavar = "FILE",
     .help = "write which calls each rank made, and when, for linerate replay",
     .note = "JSON Lines: [replay](replay.md). A file that exists is kept, as with --trace.",
     .apply = set_file_of<TrainOptions, &TrainOptions::trace_comm_file>},
    {.long_name = "trace-steps",
     .metavar = "N|A:B",
     .default_text = "20",
     .help = "the first N steps, or those from A to B, of --trace and --trace-comm",
     .apply = set_traced_steps},
    kProgressRow<TrainOptions>,
    {.long_name = "slow-rank",
     .metavar = "RANK:TIME",
     .help = "let a rank sleep so long in each step, to see where others wait for it",
     .apply = set_slow_rank},
    {.long_name = "no-communication",
     .help = "leave all communication out, to see what a step takes without it",
     .note = "Results mean nothing then. The control of a "
             "[scaling study](scaling.md#without-communication).",
     .apply = set_flag<TrainOptions, &TrainOptions::no_communication>},
    {.long_name = "list",
     .help = "print models, data and backends, one per line, and train nothing",
     .apply = set_flag<TrainOptions, &TrainOptions::list>},
    {.long_name = "dry-run",
     .help = "print what would be done: parameters, buckets, bytes, memory",
     .apply = set_flag<TrainOptions, &TrainOptions::dry_run>},
    {.long_name = "version",
     .help = "print the version",
     .apply = set_flag<TrainOptions, &TrainOptions::version>},
});

}  // namespace

Refusal check_traces(const TrainOptions& options, bool steps_given) {
  const bool calls = !options.trace_comm_file.empty();
  if (calls && options.no_communication)
    return "--no-communication makes no calls that --trace-comm could write: leave either out.";
  if (steps_given && !calls && options.trace.file.empty())
    return "--trace-steps needs --trace or --trace-comm: give one of them, or leave it out.";
  return {};
}

std::span<const OptionRow> training_output_options() { return kTrainingOutputRows; }

}  // namespace linerate
