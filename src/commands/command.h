// What every sub-command gets from main.
#pragma once

#include "base/environment.h"
#include "base/exit_code.h"
#include "cli/parse.h"
#include "cli/tools.h"

#include <functional>
#include <span>
#include <string>

namespace linerate {

struct CommandInput {
  const Invocation& call;
  const Environment& environment;
  std::function<bool()> interrupted;  // true after Ctrl-C or SIGTERM
  // Whether this process says on stderr that it heard these signals; it does at first.
  std::function<void(bool answers)> answer_interrupts;
};

// One function of each sub-command; they throw Error, and main turns it into an exit code.
ExitCode perf_command(const CommandInput& input);
ExitCode memcpy_command(const CommandInput& input);
ExitCode topo_command(const CommandInput& input);
ExitCode tune_command(const CommandInput& input);
ExitCode report_command(const CommandInput& input);

// Prints the help or the version where they are asked for; else false.
bool answers(Intent intent, const Invocation& call);
// The same for the help of a sub-command with options of its own.
bool answers_help(std::span<const std::string> words, Audience program);

// Prints the sentence on stderr and yields ExitCode::usage.
ExitCode refuse(const std::string& sentence);

}  // namespace linerate
