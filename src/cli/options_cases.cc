// The options that choose types, operators, roots and data.
#include "cli/option_table.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>

namespace linerate {
namespace {

// -1 and all both mean every root in turn. The upper end is checked when the ranks are known.
Refusal set_root(const Argument& given, RunConfig& config) {
  if (given.text == "all") {
    config.root = -1;
    return {};
  }
  if (!set_whole(given, {-1, std::numeric_limits<int>::max()}, config.root)) return {};
  return fmt::format("{} '{}' is not a root: give a rank from 0 up, or -1 or all for every rank.",
                     given.label, given.text);
}

constexpr auto kRows = std::to_array<OptionRow>({
    {.short_name = 'd',
     .long_name = "datatype",
     .metavar = "TYPE",
     .default_text = "float",
     .help = "element type: int8, uint8, int32, uint32, int64, uint64, half, float, double, "
             "bfloat16, f8e4m3, f8e5m2 or all",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_types(a, c.types); }},
    {.short_name = 'o',
     .long_name = "op",
     .metavar = "OP",
     .default_text = "sum",
     .help = "reduction: sum, prod, max, min, avg, mulsum or all",
     .note = "mulsum multiplies each rank's input by a number of that rank before the sum. "
             "Collectives that do not reduce take it and have no use for it.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_ops(a, c.ops); }},
    {.short_name = 'r',
     .long_name = "root",
     .metavar = "RANK",
     .default_text = "0",
     .help = "root rank; -1 or all: every rank in turn",
     .note = "With NCCL_TESTS_SPLIT it is a rank within the group.",
     .audience = Audience::collectives,
     .apply = set_root},
    {.long_name = "seed",
     .metavar = "N",
     .default_text = "0",
     .help = "start of the data generator",
     .note = "The same seed gives the same buffers on every backend.",
     .apply = [](const Argument& a, RunConfig& c) { return set_whole(a, {}, c.seed); }},
});

}  // namespace

std::span<const OptionRow> case_options() { return kRows; }

}  // namespace linerate
