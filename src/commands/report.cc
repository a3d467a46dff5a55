// linerate report: hands its words to the Python reports, which read JSON Lines only.
#include "base/error.h"
#include "base/installation.h"
#include "base/log.h"
#include "commands/command.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace linerate {
namespace {

// Of the installation that this program belongs to; a build has a link to those of its sources.
std::filesystem::path find_reports() {
  const std::filesystem::path inside = "share/linerate/reports/report.py";
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

}  // namespace

ExitCode report_command(const CommandInput& input) {
  const std::string python = input.environment.get("PYTHON").value_or("/usr/bin/python3");
  std::vector<std::string> words{python, find_reports().string()};
  words.insert(words.end(), input.call.words.begin(), input.call.words.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execvp(argv.front(), argv.data());
  throw Unavailable(
      fmt::format("Cannot start {}: {}. Set PYTHON to a Python 3 with matplotlib, "
                  "numpy and jinja2.",
                  python, std::strerror(errno)));
}

}  // namespace linerate
