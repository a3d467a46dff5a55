// The sub-commands: each puts the layers below together, from its words to the exit code. main.cc
// calls one of them. The files:
//   perf.cc       the tools that run ranks: preview.h refuses what cannot run and prints
//                 what would, describe.h says what a run is, outputs.h is its table and files
//   memcpy.cc     memcpy_perf, with memcpy_output.h
//   topo.cc       topo and its views; topo_place.cc, topo_predict.cc and topo_measure.cc (with
//                 survey_text.h) the larger ones; load_machine.h reads the machine they are about
//   tune.cc       tune host
//   report.cc     report, and pictures: Python scripts
#pragma once

#include "base/environment.h"
#include "base/error.h"
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
