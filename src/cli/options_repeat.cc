// The options that say how often each case runs, and when it ends.
#include "cli/option_table.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr auto kRows = std::to_array<OptionRow>({
    {.short_name = 'n',
     .long_name = "iters",
     .metavar = "N",
     .default_text = "20",
     .help = "timed iterations of each case",
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {1, kMaxRepeats}, c.iters);
         }},
    {.short_name = 'm',
     .long_name = "agg_iters",
     .metavar = "N",
     .default_text = "1",
     .help = "calls in each iteration, fused into one group",
     .note = "The time printed is that of one call.",
     .audience = Audience::collectives,
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {1, kMaxAtOnce}, c.agg_iters);
         }},
    {.short_name = 'w',
     .long_name = "warmup_iters",
     .metavar = "N",
     .default_text = "1",
     .help = "untimed iterations before each case",
     .note = "In both placements; nccl-tests warms up once, before its first case.",
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {0, kMaxRepeats}, c.warmup_iters);
         }},
    {.short_name = 'N',
     .long_name = "run_cycles",
     .metavar = "N",
     .default_text = "1",
     .help = "repeat the whole sweep; 0: for ever",
     .audience = Audience::collectives,
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {0, kMaxRepeats}, c.run_cycles);
         }},
    {.long_name = "stop",
     .metavar = "RULE",
     .help = "repeat windows of -n until ci=1%,max=5s (either or both)",
     .note = "ci: half width of the 95 % interval of the median, as a part of the median; max: "
             "time of one case. The table's time is the mean over all windows, the interval that "
             "of the samples. Without it a case has exactly -n iterations.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_stop_rule(a, c.stop); }},
    {.short_name = 'T',
     .long_name = "timeout",
     .metavar = "SECONDS",
     .default_text = "0",
     .help = "end a run that hangs this long (exit 4); 0: off",
     .note = "Bounds initialisation, barriers and operations. Without it initialisation alone is "
             "bounded, at 300 s. A rank that dies is noticed in any case.",
     .apply = [](const Argument& a, RunConfig& c) { return set_seconds(a, c.timeout_s); }},
});

}  // namespace

std::span<const OptionRow> repeat_options() { return kRows; }

}  // namespace linerate
