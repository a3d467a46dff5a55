// One line a backend.
#include "backends/table.h"

#include "backends/fake/fake_backend.h"
#include "backends/module.h"
#include "base/error.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <vector>

namespace linerate {
namespace {

constexpr auto kBackends = std::to_array<BackendRow>({
    {"host", "threads and processes of one host, over shared memory", "",
     [](const BackendInput& input) {
       return make_host_backend(input.clock, {.ranks_stay = input.ranks_stay,
                                              .environment = &input.environment,
                                              .network = input.network});
     }},
    {"mpi", "Open MPI's collectives, one rank per process, on any number of hosts",
     "On Debian or Ubuntu: apt install openmpi-bin libopenmpi3 (to run it) and libopenmpi-dev (to "
     "build it).",
     nullptr},
    {"gloo", "Gloo's collectives over TCP, threads and processes on any number of hosts",
     "On Debian or Ubuntu: apt install libgloo0 (to run it) and libgloo-dev (to build it).",
     nullptr},
    {"nccl", "GPUs over NCCL, loaded at run time, on any number of hosts",
     "It is built where the CUDA toolkit and nccl.h are found.", nullptr},
    {"fake", "real bytes on a virtual clock, with faults on request (--fake)", "",
     [](const BackendInput& input) { return make_fake_backend(input.fake); }},
});

PluginInput plugin_input(const BackendInput& input) {
  PluginInput start{.clock = input.clock, .here = {}, .deadline = {}};
  start.library = input.library;
  start.gpu = input.gpu;
  start.observes = input.observes;
  return start;
}

ModuleRequest module_of(const BackendRow& row) { return {row.name, row.install, {}}; }

}  // namespace

std::span<const BackendRow> all_backends() { return kBackends; }

Result<const BackendRow*> find_backend(std::string_view name) {
  const auto row =
      std::ranges::find_if(kBackends, [&](const BackendRow& r) { return r.name == name; });
  if (row != kBackends.end()) return &*row;
  std::vector<std::string_view> names;
  for (const auto& r : kBackends) names.push_back(r.name);
  return Failure{unknown_choice("backend", name, names)};
}

OpenedBackend open_backend(const BackendRow& row, const BackendInput& input) {
  if (row.make != nullptr) return row.make(input);
  const Plugin& plugin = load_module(module_of(row), input.environment);
  assert(input.session != nullptr || plugin.start == nullptr);
  return plugin.make_backend(plugin_input(input), input.session);
}

std::string backend_version(const BackendRow& row, const BackendInput& input) {
  const Plugin& plugin = load_module(module_of(row), input.environment);
  return plugin.version(plugin_input(input));
}

std::unique_ptr<CopyBench> open_copy_bench(const BackendRow& row, const BackendInput& input) {
  const auto* const plugin =
      row.make == nullptr ? &load_module(module_of(row), input.environment) : nullptr;
  if (plugin == nullptr || plugin->make_copy_bench == nullptr)
    throw Unavailable(fmt::format("The {} backend has no GPUs to copy between.", row.name));
  return plugin->make_copy_bench(plugin_input(input));
}

std::unique_ptr<JobSession> open_session(const BackendRow& row, const PluginInput& input,
                                         const Environment& environment) {
  if (row.make != nullptr) return nullptr;
  const Plugin& plugin = load_module(module_of(row), environment);
  return plugin.start == nullptr ? nullptr : plugin.start(input);
}

}  // namespace linerate
