// linerate info: what a report of a fault should begin with.
#include "backends/host/tuning_table.h"
#include "backends/table.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "commands/build_info.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "output/text_file.h"
#include "topo/machine.h"

#include <fmt/format.h>

namespace linerate {
namespace {

std::string line(std::string_view what, std::string_view text) {
  return fmt::format("  {:<10} {}\n", what, text);
}

std::string build_text() {
  const auto build = build_info();
  return fmt::format("{}\n", version_text()) + line("compiler", build.compiler) +
         line("build", build.build_type);
}

// Its library's version, or why it does not load.
std::string backend_text(const BackendRow& row, const Environment& environment) {
  if (row.make != nullptr) return std::string(row.summary);
  const SteadyClock clock;
  try {
    return backend_version(row, {.clock = clock, .environment = environment});
  } catch (const Error& error) {
    return fmt::format("not usable: {}", error.what());
  }
}

std::string backends_text(const Environment& environment) {
  std::string text = "\nBackends\n";
  for (const auto& row : all_backends()) text += line(row.name, backend_text(row, environment));
  return text;
}

std::string machine_text(const Machine& machine) {
  const auto facts = host_facts();
  return "\nThis machine (its GPUs, NICs and links: linerate topo)\n" +
         line("system", fmt::format("{}, Linux {}", facts.system, facts.kernel)) +
         line("processor",
              fmt::format("{}, {}, {}", machine.cpu_model,
                          counted(static_cast<std::size_t>(machine.cores), "core"),
                          counted(static_cast<std::size_t>(machine.domains), "NUMA node")));
}

std::string tuning_line(const Environment& environment, const Machine& machine) {
  std::string complaint;
  const auto table = host::find_tuning(environment, machine, complaint);
  if (!complaint.empty()) return line("host", complaint);
  if (table.measured.empty()) return line("host", "built in; linerate tune host measures here");
  return line("host",
              fmt::format("{}, measured {}", host::tuning_path(environment, machine)->string(),
                          table.measured));
}

}  // namespace

ExitCode info_command(const CommandInput& input) {
  const auto machine = describe_whole_machine();
  TextFile::standard_output().write(build_text() + backends_text(input.environment) +
                                    machine_text(machine) + "\nTuning table\n" +
                                    tuning_line(input.environment, machine));
  return ExitCode::ok;
}

}  // namespace linerate
