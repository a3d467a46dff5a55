// linerate plan: the machine, from its description or measured, and the layouts on it.
#include "plan/plan.h"

#include "backends/host/emulation/network.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/planner_config.h"
#include "cli/train_config.h"
#include "commands/command.h"
#include "commands/load_machine.h"
#include "commands/plan_measure.h"
#include "devices/cpu/cpu_device.h"
#include "launch/place.h"
#include "output/text_file.h"
#include "plan/gpu_machine.h"
#include "plan/measured_machine.h"
#include "plan/plan_text.h"
#include "trainers/engine/plan.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace linerate {
namespace {

plan::Task task_of(const PlannerConfig& config, DataType type) {
  plan::Task task{.most = config.most};
  task.training.model = config.model;
  task.training.batch = config.batch;
  task.training.type = type;
  return task;
}

Result<plan::Machine> described_machine(const PlannerConfig& config) {
  topo::Cluster cluster;
  if (config.machine.source == MachineSource::cluster) {
    auto loaded = load_cluster(config.machine);
    if (!loaded) return loaded.failure();
    cluster = std::move(loaded).value();
  } else {
    auto system = load_machine(config.machine);
    if (!system) return system.failure();
    cluster.groups.push_back({.topology = config.machine.name,
                              .system = std::make_shared<const topo::System>(
                                  as_nccl_takes(config.machine, *std::move(system))),
                              .count = config.nranks});
  }
  return plan::gpu_machine(cluster, config.machine.version,
                           {.nranks = config.nranks,
                            .memory_bytes = static_cast<double>(config.memory_bytes),
                            .fuses_attention = config.fuses_attention});
}

// The emulated network of which nothing is measured yet.
Result<plan::MeasuredNetwork> network_of(const PlannerConfig& config) {
  const auto& name = config.emulate_file;
  auto text = read_regular_file(name, host::kMaxNetworkBytes);
  if (!text) return Failure{fmt::format("--emulate '{}': {}", name, text.sentence())};
  const auto network = host::parse_network(*text);
  if (!network) return Failure{fmt::format("--emulate '{}'{}", name, network.sentence())};
  const auto& shape = network->plan();
  if (config.nranks > network->nranks())
    return Failure{fmt::format("--emulate '{}' has places for {} ranks, and --ranks is {}.", name,
                               network->nranks(), config.nranks)};
  if (shape.dilation > 1)
    return Failure{fmt::format(
        "--emulate '{}' dilates time {} times, so that compute seems faster than it is: plan "
        "without dilation.",
        name, shape.dilation)};
  return plan::MeasuredNetwork{.file = std::move(text).value(), .node_ranks = shape.ranks_per_node};
}

// What an earlier call has kept, of as many ranks and the same network.
Result<plan::Measurements> known_measurements(const PlannerConfig& config) {
  plan::Measurements known{
      .host = this_host().hostname,
      .nranks = config.nranks,
      .cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency())),
      .memory_bytes = static_cast<double>(free_memory_bytes())};
  if (!config.emulate_file.empty()) {
    auto network = network_of(config);
    if (!network) return network.failure();
    known.network = std::move(network).value();
  }
  const auto& name = config.measured_file;
  if (name.empty() || !std::filesystem::exists(name)) return known;
  const auto text = read_regular_file(name, plan::kMostMeasurementBytes);
  if (!text) return Failure{fmt::format("{}: {}", name, text.sentence())};
  auto file = plan::read_measurements(*text);
  if (!file) return Failure{name + file.sentence()};
  if (file->nranks != config.nranks)
    return Failure{fmt::format("{} was measured with {} ranks, and --ranks is {}: name another.",
                               name, file->nranks, config.nranks)};
  if (file->network.file != known.network.file)
    return Failure{
        fmt::format("{} was measured over another network, or over none: name another.", name)};
  return file;
}

void keep(const std::string& name, const plan::Measurements& measured) {
  if (name.empty()) return;
  if (const auto why = write_whole_file(name, plan::measurements_json(measured)))
    throw Error(fmt::format("{} cannot be written: {}.", name, *why), ExitCode::usage);
}

// What cannot run here is not measured: a large model's products would take hours.
Result<plan::Machine> measured_machine(const CommandInput& input, const PlannerConfig& config,
                                       const std::optional<trainers::TrainConfig>& explained) {
  auto read = known_measurements(config);
  if (!read) return read.failure();
  auto known = std::move(read).value();
  const double memory_bytes = config.memory_bytes > 0 ? static_cast<double>(config.memory_bytes)
                                                      : known.memory_bytes / config.nranks;
  const int node_ranks = known.network.node_ranks;
  const auto layouts =
      explained
          ? std::vector{*explained}
          : plan::fitting_layouts(
                task_of(config, DataType::float32),
                {.nranks = config.nranks, .node_ranks = node_ranks, .memory_bytes = memory_bytes});
  if (!layouts.empty()) {
    measure({input, config.emulate_file},
            plan::needs_of(layouts, DataType::float32, config.nranks, node_ranks), known);
    keep(config.measured_file, known);
  }
  auto machine = plan::measured_machine(known);
  machine.memory_bytes = memory_bytes;
  return machine;
}

// The layout that is to be explained, as train_3d would read it.
Result<trainers::TrainConfig> explained_layout(const PlannerConfig& config, DataType type) {
  std::vector<std::string> words;
  std::string_view text = config.explained;
  for (const auto& word : split(text, ' '))
    if (!trim(word).empty()) words.emplace_back(word);
  auto options = parse_train(words, TrainProgram::three_d);
  if (!options) return Failure{"--explain: " + options.sentence()};
  if (!options->rank_order_file.empty())
    return Failure{"--explain: --rank-order is not planned: say --order."};
  auto layout = options->train;
  layout.model = config.model;
  layout.batch = config.batch;
  layout.type = type;
  if (const auto refusal = trainers::mesh_refusal(layout, config.nranks))
    return Failure{"--explain: " + *refusal};
  return layout;
}

ExitCode show(const PlannerConfig& config, const plan::Machine& machine,
              const std::optional<trainers::TrainConfig>& explained) {
  auto out = TextFile::standard_output();
  if (explained) {
    auto layout = *explained;
    layout.type = machine.type;
    const auto candidate = plan::examined(layout, machine);
    out.write(config.json ? explanation_json(candidate, machine)
                          : explanation_text(candidate, machine));
    return ExitCode::ok;
  }
  const auto task = task_of(config, machine.type);
  const auto plan = plan::plan_for(task, machine);
  out.write(config.json ? plan_json(plan, task, machine) : plan_text(plan, task, machine));
  if (!plan.best.empty()) return ExitCode::ok;
  say("no layout fits");
  return ExitCode::failed;
}

}  // namespace

ExitCode plan_command(const CommandInput& input) {
  if (answers_help(input.call.words, Audience::planner)) return ExitCode::ok;
  const auto config = parse_planner(input.call.words);
  if (!config) return refuse(config.sentence());
  const bool here = config->machine.source == MachineSource::this_machine;
  const auto type = here ? DataType::float32 : DataType::bfloat16;
  std::optional<trainers::TrainConfig> explained;
  if (!config->explained.empty()) {
    auto layout = explained_layout(*config, type);
    if (!layout) return refuse(layout.sentence());
    explained = *std::move(layout);
  }
  if (!here) {
    const auto machine = described_machine(*config);
    return machine ? show(*config, *machine, explained) : refuse(machine.sentence());
  }
  const auto machine = measured_machine(input, *config, explained);
  return machine ? show(*config, *machine, explained) : refuse(machine.sentence());
}

}  // namespace linerate
