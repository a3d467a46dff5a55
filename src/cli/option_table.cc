// See option_table.h.
#include "cli/option_table.h"

#include <fmt/format.h>

#include <array>

namespace linerate {

std::string OptionRow::label() const {
  if (short_name == 0) return fmt::format("--{}", long_name);
  return fmt::format("-{}/--{}", short_name, long_name);
}

std::string OptionRow::shortest() const {
  if (short_name == 0) return fmt::format("--{}", long_name);
  return fmt::format("-{}", short_name);
}

std::span<const OptionGroup> option_groups() {
  static const std::array<OptionGroup, 8> kGroups{{
      {"Ranks", rank_options()},
      {"Sizes", size_options()},
      {"What is run", case_options()},
      {"How often", repeat_options()},
      {"How it is timed and checked", timing_options()},
      {"Output", output_options()},
      {"GPU (nccl backend)", gpu_options()},
      {"Help", help_options()},
  }};
  return kGroups;
}

const OptionRow* find_option(std::string_view long_name) {
  for (const auto& group : option_groups())
    for (const auto& row : group.rows)
      if (row.long_name == long_name) return &row;
  return nullptr;
}

bool has_option(Audience tool_audience, const OptionRow& row) {
  return row.audience == Audience::both || row.audience == tool_audience;
}

}  // namespace linerate
