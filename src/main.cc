// linerate: reads which tool was called, and runs it.
#include "cli/help.h"
#include "cli/tools.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "commands/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

namespace {

bool keeps_what_it_has(const linerate::Invocation& call) {
  using linerate::Command;
  const auto has = [&](std::string_view word) { return std::ranges::count(call.words, word) > 0; };
  return call.command == Command::perf || call.command == Command::suite ||
         call.command == Command::memcpy || call.command == Command::compare ||
         call.command == Command::scale || call.command == Command::replay ||
         call.command == Command::sweep ||
         (call.command == Command::tune && (has("nccl") || has("mpi") || has("gloo"))) ||
         (call.command == Command::doctor && (has("prove") || has("--quick-bench")));
}

linerate::ExitCode run(const linerate::CommandInput& input) {
  using linerate::Command;
  switch (input.call.command) {
    case Command::perf:
    case Command::suite:
      return linerate::perf_command(input);
    case Command::memcpy:
      return linerate::memcpy_command(input);
    case Command::topo:
      return linerate::topo_command(input);
    case Command::tune:
      return linerate::tune_command(input);
    case Command::compare:
      return linerate::compare_command(input);
    case Command::scale:
      return linerate::scale_command(input);
    case Command::sweep:
      return linerate::sweep_command(input);
    case Command::replay:
      return linerate::replay_command(input);
    case Command::results:
      return linerate::results_command(input);
    case Command::plan:
      return linerate::plan_command(input);
    case Command::doctor:
      return linerate::doctor_command(input);
    case Command::report:
      return linerate::report_command(input);
    case Command::docs:
      return linerate::docs_command(input);
    case Command::info:
      return linerate::info_command(input);
    case Command::help:
      fmt::print("{}", linerate::help_text(input.call));
      break;
    case Command::version:
      fmt::print("{}\n", linerate::version_text());
      break;
  }
  return linerate::ExitCode::ok;
}

linerate::ExitCode run_words(std::span<const char* const> argv) {
  const auto call = linerate::read_invocation(argv);
  if (!call) return linerate::refuse(call.sentence());
  const auto signals = linerate::catch_signals(keeps_what_it_has(*call));
  const auto environment = linerate::Environment::of_process();
  return run({.call = *call,
              .environment = environment,
              .interrupted = signals.interrupted,
              .answer_interrupts = signals.answer_interrupts});
}

}  // namespace

int main(int argc, char** argv) {
  return linerate::run_program([&] { return run_words({argv, static_cast<std::size_t>(argc)}); });
}
