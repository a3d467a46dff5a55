// See topo_place.h.
#include "commands/topo_place.h"

#include "base/error.h"
#include "base/whole_file.h"
#include "cli/place_words.h"
#include "commands/load_machine.h"
#include "commands/topo_doubts.h"
#include "topo/place/launch_words.h"
#include "topo/place/show_plan.h"

#include <fmt/format.h>

#include <cstdio>

namespace linerate {
namespace {

Result<std::string> text_of(const topo::Plan& plan, PlaceFormat format) {
  switch (format) {
    case PlaceFormat::table:
      return topo::plan_text(plan);
    case PlaceFormat::json:
      return topo::plan_json(plan);
    case PlaceFormat::rankfile:
      return topo::rankfile_text(plan);
    case PlaceFormat::mpirun:
      return topo::mpirun_words(plan);
    case PlaceFormat::srun:
      return topo::srun_words(plan);
    case PlaceFormat::env:
      return topo::environment_text(plan);
  }
  __builtin_unreachable();
}

void write_rankfile(const std::string& path, const std::string& text) {
  if (const auto reason = write_whole_file(path, text))
    throw Error(fmt::format("Cannot write {}: {}.", path, *reason), ExitCode::usage);
}

}  // namespace

ExitCode topo_place(const CommandInput& input) {
  const auto& words = input.call.words;
  const auto config = parse_place({words.begin() + 1, words.end()});
  if (!config) return refuse(config.sentence());
  if (!config->help_text.empty()) {
    fmt::print("{}", config->help_text);
    return ExitCode::ok;
  }
  if (config->machine.source == MachineSource::cluster)
    return refuse("--cluster: place takes one kind of node: give it by --platform or --nccl-xml.");
  const auto loaded = load_machine(config->machine);
  if (!loaded) return refuse(loaded.sentence());
  const auto system = as_nccl_takes(config->machine, *loaded);
  const auto graph = topo::build_graph(system, config->machine.version);
  const auto plan = topo::plan_of(graph, config->request);
  if (!plan) return refuse(plan.sentence());
  const auto text = text_of(*plan, config->format);
  if (!text) return refuse(text.sentence());
  if (!config->rankfile.empty()) {
    const auto rankfile = topo::rankfile_text(*plan);
    if (!rankfile) return refuse("--rankfile: " + rankfile.sentence());
    write_rankfile(config->rankfile, *rankfile);
  }
  tell_doubts(system, plan->nnodes > 1);
  fmt::print("{}", *text);
  return ExitCode::ok;
}

}  // namespace linerate
