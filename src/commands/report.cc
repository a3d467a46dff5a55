// linerate report: hands its words to the Python reports, which read JSON Lines only.
#include "commands/command.h"
#include "commands/report_script.h"

#include <utility>

namespace linerate {

ExitCode report_command(const CommandInput& input) {
  constexpr ReportScript kReport{"report.py", "a Python 3 with matplotlib, numpy and jinja2"};
  auto command = command_of(kReport, input.environment);
  command.insert(command.end(), input.call.words.begin(), input.call.words.end());
  become(kReport, std::move(command));
}

}  // namespace linerate
