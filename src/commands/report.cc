// linerate report, which hands what was asked for to the Python reports, and what else Python
// draws.
#include "commands/report.h"

#include "base/error.h"
#include "base/installation.h"
#include "base/text.h"
#include "cli/report_config.h"
#include "commands/child.h"
#include "commands/command.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace linerate {
namespace {

// Of the installation that this program belongs to; a build has a link to those of its sources.
std::filesystem::path path_of(std::string_view file) {
  const auto inside = std::filesystem::path("share/linerate/reports") / file;
  const auto root = installation_root();
  if (!root)
    throw Unavailable(
        "This program is a copy outside of an installation, and brings no reports: call linerate "
        "where it is installed.");
  if (const auto reason = distrust(*root, inside))
    throw Unavailable(fmt::format("The reports are not run: {}.", *reason));
  const auto script = *root / inside;
  if (std::filesystem::exists(script)) return std::filesystem::canonical(script);
  throw Unavailable(fmt::format("The reports are not here: {} does not exist.", script.string()));
}

std::vector<char*> argv_of(std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (auto& word : command) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

}  // namespace

std::vector<std::string> command_of(const ReportScript& script, const Environment& environment) {
  return {environment.get("PYTHON").value_or("/usr/bin/python3"), path_of(script.file).string()};
}

std::string run_script(const ReportScript& script, const std::vector<std::string>& command,
                       std::string_view input) {
  const auto end = run_child(
      {.program = command.front(), .argv = command, .input = input, .captured = true}, {});
  if (end.code == 0 && !end.cut) return end.output;
  if (end.code == kCannotStart)
    throw Unavailable(
        fmt::format("Cannot start {}. Set PYTHON to {}.", trim(end.errors), script.needs));
  fmt::print(stderr, "{}", end.errors);
  throw Unavailable(
      fmt::format("{} {} failed. Set PYTHON to {}.", command[0], command[1], script.needs));
}

// This process becomes the script, which is told where this program is: it asks linerate compare.
ExitCode report_command(const CommandInput& input) {
  constexpr ReportScript kReport{"report.py", "a Python 3 with jinja2, and matplotlib for PNG"};
  if (answers_help(input.call.words, Audience::report)) return ExitCode::ok;
  const auto config = parse_report(input.call.words);
  if (!config) return refuse(config.sentence());
  auto command = command_of(kReport, input.environment);
  command.insert(command.end(), {std::filesystem::read_symlink("/proc/self/exe").string(),
                                 config->folder, join(config->formats, ","), config->title});
  command.insert(command.end(), config->files.begin(), config->files.end());
  ::execvp(command.front().c_str(), argv_of(command).data());
  throw Unavailable(fmt::format("Cannot start {}: {}. Set PYTHON to {}.", command.front(),
                                std::strerror(errno), kReport.needs));
}

}  // namespace linerate
