// linerate docs cli: the command line reference, written from the option table.
#include "cli/help.h"
#include "commands/command.h"

#include <fmt/format.h>

#include <cstdio>

namespace linerate {

ExitCode docs_command(const CommandInput&) {
  fmt::print("{}", cli_markdown());
  return ExitCode::ok;
}

}  // namespace linerate
