// linerate report: hands its words to the Python reports, which read JSON Lines only.
#include "base/error.h"
#include "base/log.h"
#include "commands/command.h"

#include <fmt/format.h>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace linerate {
namespace {

// build/bin/linerate finds reports/ in the source tree, an installed one under share/linerate.
std::filesystem::path find_reports() {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::array candidates{folder / "../share/linerate/reports", folder / "../../reports"};
  for (const auto& candidate : candidates)
    if (std::filesystem::exists(candidate / "report.py"))
      return std::filesystem::canonical(candidate / "report.py");
  throw Unavailable(
      fmt::format("The reports are not beside this program: looked for report.py in "
                  "{} and {}.",
                  candidates[0].string(), candidates[1].string()));
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
