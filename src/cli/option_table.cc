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
  static const auto kGroups = std::to_array<OptionGroup>({
      {"Ranks", rank_options()},
      {"Sizes", size_options()},
      {"Pairs", pair_options()},
      {"What is run", case_options()},
      {"How often", repeat_options()},
      {"How it is timed and checked", timing_options()},
      {"Output", output_options()},
      {"How fast it should be", verdict_options()},
      {"GPU (nccl backend)", gpu_options()},
      {"Help", help_options()},
  });
  return kGroups;
}

std::span<const OptionGroup> option_groups(Audience tool) {
  static const std::array<OptionGroup, 1> kMemcpyGroups{{{"Options", memcpy_options()}}};
  if (tool == Audience::memcpy) return kMemcpyGroups;
  return option_groups();
}

bool has_option(Audience tool, const OptionRow& row) {
  const bool shared = row.audience == Audience::both && tool != Audience::memcpy;
  return shared || row.audience == tool;
}

std::vector<const OptionRow*> option_rows(Audience tool) {
  std::vector<const OptionRow*> rows;
  const auto add = [&](bool own) {
    for (const auto& group : option_groups(tool))
      for (const auto& row : group.rows)
        if (has_option(tool, row) == own && (own || find_option(tool, row.long_name) == nullptr))
          rows.push_back(&row);
  };
  add(true);
  add(false);
  return rows;
}

const OptionRow* find_option(Audience tool, std::string_view long_name) {
  for (const auto& group : option_groups(tool))
    for (const auto& row : group.rows)
      if (row.long_name == long_name && has_option(tool, row)) return &row;
  return nullptr;
}

const OptionRow* find_option(Audience tool, char short_name) {
  for (const auto& group : option_groups(tool))
    for (const auto& row : group.rows)
      if (short_name != 0 && row.short_name == short_name && has_option(tool, row)) return &row;
  return nullptr;
}

}  // namespace linerate
