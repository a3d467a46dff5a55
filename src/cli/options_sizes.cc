// The options that choose the sizes of a sweep.
#include "cli/option_table.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr std::int64_t kLargestFactor = 1 << 30;
constexpr std::int64_t kLargestShift = 1 << 20;  // elements

Refusal set_step_factor(const Argument& given, RunConfig& config) {
  auto refusal = set_whole(given, {1, kLargestFactor}, config.step_factor);
  if (refusal) *refusal += " 2 doubles the size each time, 1 means off: -i is added instead.";
  return refusal;
}

Refusal set_limit_memory(const Argument& given, RunConfig& config) {
  std::size_t bytes = 0;
  if (auto refusal = set_bytes(given, 1, bytes)) return refusal;
  config.limit_memory = bytes;
  return {};
}

constexpr auto kRows = std::to_array<OptionRow>({
    {.short_name = 'b',
     .long_name = "minbytes",
     .metavar = "SIZE",
     .default_text = "32M",
     .help = "first size",
     .note = "At least 1, and not above -e: -b 64M alone is refused, because -e is 32M.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_bytes(a, 1, c.min_bytes); }},
    {.short_name = 'e',
     .long_name = "maxbytes",
     .metavar = "SIZE",
     .default_text = "32M",
     .help = "last size",
     .note = "Lowered, with a line that says so, where the buffers would not fit in memory.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_bytes(a, 1, c.max_bytes); }},
    {.short_name = 'i',
     .long_name = "stepbytes",
     .metavar = "SIZE",
     .default_text = "1M",
     .help = "added to the size each time, when -f is off",
     .note = "0 needs a factor (-f 2 or more).",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_bytes(a, 0, c.step_bytes); }},
    {.short_name = 'f',
     .long_name = "stepfactor",
     .metavar = "N",
     .default_text = "1",
     .help = "multiplies the size each time; 1: off",
     .note = "A whole number: 0, 1.5 and words are refused.",
     .audience = Audience::collectives,
     .apply = set_step_factor},
    {.short_name = 'u',
     .long_name = "unalign",
     .metavar = "N",
     .default_text = "0",
     .help = "shift both buffers by N elements",
     .audience = Audience::collectives,
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {0, kLargestShift}, c.unalign);
         }},
    {.long_name = "limit-memory",
     .metavar = "SIZE",
     .help = "memory of one rank's buffers",
     .note = "Without it: 80 % of the free memory, divided by the ranks of the host.",
     .apply = set_limit_memory},
});

}  // namespace

std::span<const OptionRow> size_options() { return kRows; }

}  // namespace linerate
