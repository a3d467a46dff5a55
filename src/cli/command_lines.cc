#include "cli/command_lines.h"

#include "base/text.h"
#include "cli/tools.h"

#include <fmt/format.h>

namespace linerate {
namespace {

constexpr std::pair<std::string_view, std::string_view> kTrainers[] = {
    {"train_ddp", "trains a reference model data-parallel, and says where the time goes"},
    {"train_fsdp", "trains one with sharded parameters, gradients and optimizer"},
    {"train_3d", "trains one with tensor, context, pipeline and data parallelism"},
};

Audience audience_of(const ToolRow& tool) {
  if (tool.command == Command::memcpy) return Audience::memcpy;
  return tool.collective == nullptr ? Audience::p2p : Audience::collectives;
}

// "tune" is tune host; "tune nccl|mpi|gloo" are three.
std::vector<std::string> spellings_of(const CommandRow& row) {
  if (row.options == Audience::tune) return {"linerate tune host"};
  if (row.options != Audience::tune_library) return {fmt::format("{} {}", kLinerate, row.name)};
  return {"linerate tune nccl", "linerate tune mpi", "linerate tune gloo"};
}

}  // namespace

std::vector<CommandLine> command_lines() {
  std::vector<CommandLine> lines;
  for (const auto& tool : tools())
    lines.push_back(
        {.spellings = {std::string(tool.program), fmt::format("{} {}", kLinerate, tool.name),
                       fmt::format("{} perf {}", kLinerate, tool.name)},
         .summary = tool.summary,
         .arguments = "[options]",
         .options = audience_of(tool)});
  for (const auto& [name, summary] : kTrainers)
    lines.push_back({.spellings = {std::string(name)},
                     .summary = summary,
                     .arguments = "[options]",
                     .options = Audience::train});
  for (const auto& row : commands())
    if (row.options)
      lines.push_back({.spellings = spellings_of(row),
                       .summary = row.summary,
                       .about = row.about,
                       .arguments = row.options == Audience::tune ? "[options]" : row.arguments,
                       .options = *row.options});
  return lines;
}

std::vector<const OptionRow*> own_rows(Audience program) {
  std::vector<const OptionRow*> rows;
  for (const auto& group : option_groups(program))
    for (const auto& row : group.rows)
      if (has_option(program, row)) rows.push_back(&row);
  return rows;
}

}  // namespace linerate
