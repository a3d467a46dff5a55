// The options of p2p_perf that the collectives lack, or that mean something else there.
#include "cli/option_table.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr auto kRows = std::to_array<OptionRow>({
    {.short_name = 'b',
     .long_name = "minbytes",
     .metavar = "SIZE",
     .default_text = "8",
     .help = "size of the messages that latency is measured with",
     .note = "Not above -e.",
     .audience = Audience::p2p,
     .apply = [](const Argument& a, RunConfig& c) { return set_bytes(a, 1, c.min_bytes); }},
    {.short_name = 'e',
     .long_name = "maxbytes",
     .metavar = "SIZE",
     .default_text = "32M",
     .help = "size of the messages that bandwidth is measured with",
     .audience = Audience::p2p,
     .apply = [](const Argument& a, RunConfig& c) { return set_bytes(a, 1, c.max_bytes); }},
    {.long_name = "at-once",
     .help = "measure disjoint pairs at the same time",
     .note = "In rounds that cover all pairs; without it each pair is alone.",
     .audience = Audience::p2p,
     .apply = [](const Argument&, RunConfig& c) -> Refusal {
       c.at_once = true;
       return {};
     }},
});

}  // namespace

std::span<const OptionRow> pair_options() { return kRows; }

}  // namespace linerate
