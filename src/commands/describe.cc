// Settings are written once, for records and for the comparison between processes.
#include "commands/describe.h"

#include "backends/module.h"
#include "backends/table.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/option.h"
#include "cli/tools.h"
#include "commands/build_info.h"
#include "topo/machine.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

namespace linerate {
namespace {

template <typename T>
Setting setting(std::string_view name, const T& value) {
  return {.name = std::string(name), .json = nlohmann::json(value).dump()};
}

template <typename List>
std::string names(const List& list) {
  std::vector<std::string_view> words;
  for (const auto item : list) words.push_back(name_of(item));
  return join(words, ",");
}

std::vector<Setting> settings_of(const RunConfig& c) {
  std::vector<Setting> settings{setting("min_bytes", c.min_bytes),
                                setting("max_bytes", c.max_bytes),
                                setting("step_bytes", c.step_bytes),
                                setting("step_factor", c.step_factor),
                                setting("iters", c.iters),
                                setting("agg_iters", c.agg_iters),
                                setting("warmup_iters", c.warmup_iters),
                                setting("run_cycles", c.run_cycles),
                                setting("check", c.check),
                                setting("op", names(c.ops)),
                                setting("datatype", names(c.types)),
                                setting("root", c.root),
                                setting("blocking", static_cast<int>(c.blocking)),
                                setting("average", static_cast<int>(c.average)),
                                setting("timeout_s", c.timeout_s),
                                setting("unalign", c.unalign),
                                setting("sync", c.sync == Sync::barrier ? "barrier" : "none"),
                                setting("buffers", c.sliding == Sliding::slide ? "slide" : "fixed"),
                                setting("seed", c.seed)};
  if (c.skew.asked()) settings.push_back(setting("skew", skew_text(c.skew)));
  if (c.beside.asked()) settings.push_back(setting("beside", c.beside.text));
  if (!c.algorithm.empty()) settings.push_back(setting("algo", c.algorithm));
  if (c.stop.ci) settings.push_back(setting("stop_ci", *c.stop.ci));
  if (c.stop.max_s) settings.push_back(setting("stop_max_s", *c.stop.max_s));
  if (c.limit_memory) settings.push_back(setting("limit_memory", *c.limit_memory));
  if (c.min_bw_gbps) settings.push_back(setting("min_bw_gbps", *c.min_bw_gbps));
  if (c.gpu.cudagraph > 0) settings.push_back(setting("cudagraph", c.gpu.cudagraph));
  if (c.gpu.local_register > 0) settings.push_back(setting("local_register", c.gpu.local_register));
  if (c.gpu.device_implementation > 0)
    settings.push_back(setting("device_implementation", c.gpu.device_implementation));
  if (c.gpu.device_implementation > 0 && c.gpu.device_ctas)
    settings.push_back(setting("device_cta_count", *c.gpu.device_ctas));
  if (c.gpu.cta_policy) settings.push_back(setting("cta_policy", *c.gpu.cta_policy));
  if (c.gpu.stream_null) settings.push_back(setting("stream_null", true));
  if (c.gpu.nccl_tests_config) settings.push_back(setting("nccl_tests_config", true));
  if (c.gpu.oversubscribe) settings.push_back(setting("oversubscribe", true));
  if (c.collective == nullptr) settings.push_back(setting("at_once", c.at_once));
  return settings;
}

// Of settings only rank 0, or each process for itself, makes something of.
constexpr auto kOwnSettings =
    std::to_array<std::string_view>({"timeout_s", "average", "min_bw_gbps", "limit_memory"});

// "-n/--iters" of "iters", "-b/--minbytes" of "min_bytes", "--stop" of "stop_ci".
std::string label_of(const std::string& name, Audience tool) {
  auto joined = name, dashed = name;
  std::erase(joined, '_');
  std::ranges::replace(dashed, '_', '-');
  for (const auto& text : {name, joined, dashed, name.substr(0, name.find('_'))})
    if (const auto* row = find_option(tool, text)) return row->label();
  return name;
}

BuildInfo build_of(const Environment& environment) {
  auto build = build_info();
  for (const auto& row : all_backends())
    if (row.make == nullptr && !module_path({row.name, row.install, {}}, environment).empty())
      build.modules.emplace_back(row.name);
  return build;
}

std::string tools_text(std::span<const RunConfig> runs) {
  std::vector<std::string_view> names;
  for (const auto& run : runs)
    names.push_back(run.collective == nullptr ? kPairs : run.collective->name);
  return join(names, ",");
}

std::vector<Setting> job_settings(const RunConfig& c, std::span<const RunConfig> runs) {
  return {setting("the version", build_info().version),
          setting("the tool", tools_text(runs)),
          setting("backend", c.backend),
          setting("nthreads", c.nthreads),
          setting("ngpus", c.ngpus),
          setting("emulate", c.emulate_file),
          setting("fake", c.fake),
          setting("expect", c.expects ? "auto" : "off"),
          setting("watch_health", c.watches_health),
          setting("per_iter_timing", c.per_iter_timing),
          setting("NCCL_TESTS_SPLIT",
                  fmt::format("{}:{}", static_cast<int>(c.split.kind), c.split.value)),
          setting("NCCL_TESTS_ALLTOALLV_SPREAD", c.traffic.spread),
          setting("NCCL_TESTS_ALLTOALLV_MATRIX_FILE", c.traffic.matrix_file),
          setting("NCCL_TESTS_ALLTOALLV_MATRIX_SCALE", c.traffic.matrix_scale)};
}

}  // namespace

std::string random_id() {
  std::random_device source;
  const auto high = std::uint64_t{source()} << 32;
  return fmt::format("{:016x}", high | source());
}

std::string version_text() {
  const auto build = build_info();
  return fmt::format("linerate {}{}", build.version,
                     build.commit.empty() ? "" : fmt::format(" ({})", build.commit));
}

std::vector<Setting> shared_settings(const RunConfig& config, std::span<const RunConfig> runs) {
  auto shared = job_settings(config, runs);
  for (auto& setting : settings_of(config))
    if (std::ranges::find(kOwnSettings, setting.name) == kOwnSettings.end())
      shared.push_back(std::move(setting));
  const bool pairs = runs.size() == 1 && runs.front().collective == nullptr;
  const auto tool = pairs ? Audience::p2p : Audience::collectives;
  for (auto& setting : shared) setting.name = label_of(setting.name, tool);
  return shared;
}

RunInfo describe_program(const RunConfig& config, const Environment& environment) {
  const auto machine = describe_machine();
  return {.run_id = random_id(),
          .study = config.study,
          .repeat = config.repetition,
          .turns = config.turns.empty() ? "" : "windows",
          .start_time = utc_text(std::chrono::system_clock::now()),
          .version = build_info().version,
          .program = config.program,
          .args = config.args,
          .environment = environment.recordable(),
          .build = build_of(environment),
          .host = host_facts(),
          .cpu_model = machine.cpu_model,
          .ncores = machine.cores};
}

RunInfo describe_run(const RunConfig& config, const Environment& environment,
                     const Identity& identity, const Backend& backend) {
  auto info = describe_program(config, environment);
  info.backend = std::string(backend.name());
  info.backend_version = backend.version();
  info.nccl_version = backend.nccl_version();
  info.launcher = std::string(name_of(identity.launcher));
  info.settings = settings_of(config);
  return info;
}

}  // namespace linerate
