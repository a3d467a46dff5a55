// linerate: reads which tool was called, runs it, and turns failures into exit codes.
#include "base/error.h"
#include "base/log.h"
#include "cli/help.h"
#include "cli/tools.h"
#include "commands/command.h"
#include "commands/version.h"

#include <fmt/format.h>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <span>

namespace {

std::atomic<bool> interrupt_asked{false};

// The first signal asks for the footer at the next pause; the second one ends at once.
extern "C" void on_interrupt(int) {
  if (interrupt_asked.exchange(true)) _exit(static_cast<int>(linerate::ExitCode::interrupted));
}

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of the write, not of the process
}

linerate::ExitCode run(const linerate::CommandInput& input) {
  using linerate::Command;
  switch (input.call.command) {
    case Command::perf:
      return linerate::perf_command(input);
    case Command::report:
      return linerate::report_command(input);
    case Command::docs:
      return linerate::docs_command(input);
    case Command::help:
      fmt::print("{}", linerate::suite_help());
      break;
    case Command::version:
      fmt::print("{}\n", linerate::version_text());
      break;
  }
  return linerate::ExitCode::ok;
}

int run_main(std::span<const char* const> argv) {
  const auto call = linerate::read_invocation(argv);
  if (!call) return static_cast<int>(linerate::refuse(call.sentence()));
  const auto environment = linerate::Environment::of_process();
  return static_cast<int>(run({.call = *call, .environment = environment, .interrupted = [] {
                                 return interrupt_asked.load();
                               }}));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    catch_interrupts();
    return run_main({argv, static_cast<std::size_t>(argc)});
  } catch (const linerate::Error& error) {
    linerate::say(error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    linerate::say(error.what());
    return static_cast<int>(linerate::ExitCode::failed);
  }
}
