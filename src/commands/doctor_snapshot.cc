// linerate doctor snapshot: of this node, or of those of a job.
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/doctor_node_config.h"
#include "commands/doctor.h"
#include "commands/gather_nodes.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace linerate {
namespace {

// A file by its name; else a folder, with a file of each node.
ExitCode save(const std::string& name, const GatheredNodes& nodes) {
  for (const auto& finding : nodes.unread)
    say(fmt::format("{}: {}", finding.subject, finding.evidence));
  std::error_code failed;
  const bool in_folder = nodes.of_job || std::filesystem::is_directory(name, failed);
  for (const auto& snapshot : nodes.snapshots) {
    std::filesystem::path file(name);
    if (in_folder) file /= file_name_of(snapshot.node) + ".json";
    if (const auto why = write_whole_file(file, node::snapshot_text(snapshot)))
      return refuse(fmt::format("{}: {}.", plain_text(file.string()), *why));
  }
  return nodes.unread.empty() ? ExitCode::ok : ExitCode::failed;
}

}  // namespace

ExitCode doctor_snapshot(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::doctor_snapshot)) return ExitCode::ok;
  const auto config = parse_doctor_snapshot(input.call.words);
  if (!config) return refuse(config.sentence());
  const auto saved = [&](const GatheredNodes& nodes) { return save(config->file, nodes); };
  // Then each process is asked for its own node.
  const bool names_file = std::filesystem::path(config->file).extension() == ".json";
  return names_file ? with_this_node(input, saved) : with_nodes(input, saved);
}

}  // namespace linerate
