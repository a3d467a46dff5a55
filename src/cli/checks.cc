// One function for each kind of contradiction; the first that finds one is the sentence.
#include "cli/checks.h"

#include "base/units.h"
#include "bench/memcpy/copy_tests.h"
#include "cli/tools.h"
#include "cli/topo_config.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>
#include <cassert>
#include <filesystem>

namespace linerate {

Refusal check_machine(const MachineChoice& machine, bool several_files) {
  if (!machine.more.empty() && !several_files)
    return fmt::format(
        "--nccl-xml names {} files, and one is shown: give one, or --lint, which "
        "compares them.",
        machine.more.size() + 1);
  if (machine.nvlink_domain > 1 && machine.source == MachineSource::cluster)
    return "--nvlink-domain is of one machine: in a cluster's file, give nvlink_domain with the "
           "nodes.";
  return {};
}
namespace {

constexpr int kDefaultCtas = 16;

Refusal check_sizes(const RunConfig& config) {
  static const RunConfig kDefaults;
  if (config.min_bytes > config.max_bytes)
    return fmt::format("-b/--minbytes {} is above -e/--maxbytes {}{}: give an -e of at least -b.",
                       bytes_text(config.min_bytes), bytes_text(config.max_bytes),
                       config.max_bytes == kDefaults.max_bytes ? ", its default" : "");
  if (config.step_bytes == 0 && config.step_factor == 1)
    return "-i/--stepbytes 0 never reaches -e/--maxbytes: give a step, or a factor such as -f 2.";
  if (!config.traffic.matrix_file.empty() && config.min_bytes != config.max_bytes)
    return "NCCL_TESTS_ALLTOALLV_MATRIX_FILE fixes the bytes: give -b and -e the same value.";
  return {};
}

Refusal check_ranks(const RunConfig& config) {
  const std::int64_t ranks = std::int64_t{config.nthreads} * config.ngpus;
  if (ranks <= kMaxRanks) return {};
  return fmt::format("-t {} x -g {} makes {} ranks in one process: at most {} are possible.",
                     config.nthreads, config.ngpus, ranks, kMaxRanks);
}

Refusal check_iterations(const RunConfig& config) {
  if (config.per_iter_skip > 0 && !config.per_iter_timing)
    return "-K/--per_iter_skip leaves iterations out of -I/--per_iter_timing: give -I 1 with it.";
  if (config.per_iter_skip >= config.iters)
    return fmt::format("-K/--per_iter_skip {} leaves none of -n/--iters {}: give less than -n.",
                       config.per_iter_skip, config.iters);
  if (config.repeat > 1 && config.run_cycles == 0)
    return "--repeat needs runs that end, and -N/--run_cycles 0 never does: give -N a number.";
  if (config.per_iter_timing && config.gpu.cudagraph > 0)
    return "-I/--per_iter_timing cannot look into a graph: leave out -I or -G/--cudagraph.";
  return {};
}

Refusal check_skew(const RunConfig& config) {
  if (!config.skew.asked()) return {};
  if (config.sync == Sync::none)
    return "--skew counts from the barrier before each sample: leave --sync none out.";
  if (config.gpu.cudagraph > 0)
    return "--skew delays each call, which a graph cannot: leave out --skew or -G/--cudagraph.";
  if (config.per_iter_timing)
    return "--skew delays each call, and -I/--per_iter_timing times calls that follow each other: "
           "leave out --skew or -I.";
  if (config.backend == "fake")
    return "--skew is of real time, which the fake backend does not have: give --fake a slow rank.";
  return {};
}

Refusal check_beside(const RunConfig& config) {
  if (!config.beside.asked()) return {};
  const auto apart = [](std::string_view option) {
    return fmt::format("--beside makes calls that follow each other: leave out --beside or {}.",
                       option);
  };
  if (config.gpu.cudagraph > 0) return apart("-G/--cudagraph");
  if (config.blocking != Blocking::none) return apart("-z/--blocking");
  if (config.skew.asked()) return apart("--skew");
  if (config.gpu.stream_null)
    return "--beside has a stream beside the calls', which waits for -y/--stream_null: leave out "
           "--beside or -y.";
  if (config.backend == "fake" && config.beside.kind != LoadOptions::Kind::collective)
    return "--beside of gemm or memory is of real time, which the fake backend does not have: give "
           "a collective.";
  return {};
}

Refusal check_graph(const RunConfig& config) {
  if (config.gpu.cudagraph == 0) return {};
  if (config.blocking != Blocking::none)
    return "-z/--blocking waits between calls, which a graph cannot: leave out -z or "
           "-G/--cudagraph.";
  if (config.gpu.stream_null)
    return "-y/--stream_null: the null stream cannot be captured: leave out -y or -G/--cudagraph.";
  return {};
}

bool has_device_kernels(const Collective* collective) {
  return collective != nullptr &&
         (collective->name == "all_reduce" || collective->name == "all_to_all");
}

Refusal check_device_kernel(const RunConfig& config) {
  const auto& gpu = config.gpu;
  if (gpu.device_implementation == 0) {
    if (gpu.device_ctas.value_or(kDefaultCtas) == kDefaultCtas) return {};
    return "-V/--device_cta_count is that of -D/--device_implementation: give -D too.";
  }
  if (!has_device_kernels(config.collective))
    return fmt::format(
        "{} has no device-side kernels: -D/--device_implementation is for "
        "all_reduce and all_to_all.",
        config.program);
  if (gpu.local_register != 2)
    return "-D/--device_implementation needs symmetric windows: give -R 2.";
  if (gpu.oversubscribe && gpu.device_ctas.value_or(0) > kMaxSharedCtas)
    return fmt::format(
        "-V/--device_cta_count {}: the kernels of ranks that share a GPU wait for each other, so "
        "that all must fit it at once: give at most -V {} with --oversubscribe.",
        *gpu.device_ctas, kMaxSharedCtas);
  return {};
}

// Those of all_to_all that nccl-tests has beyond the two.
Refusal check_kernel_number(const RunConfig& config) {
  constexpr int kLastOfAllToAll = 2;
  const int number = config.gpu.device_implementation;
  if (number <= kLastOfAllToAll || config.collective->name != "all_to_all") return {};
  return fmt::format(
      "-D {} of all_to_all needs GPU-initiated networking, which linerate has no kernels for: give "
      "-D 1 (LSA) or -D 2 (LSA, vectorised).",
      number);
}

Refusal check_files(const RunConfig& config) {
  struct File {
    std::string_view label;
    const std::string& path;
  };
  const std::array<File, 3> files{{{"-J/--output_file", config.json_file},
                                   {"--jsonl", config.jsonl_file},
                                   {"--csv", config.csv_file}}};
  const auto normal = [](const File& file) {
    return std::filesystem::path(file.path).lexically_normal();
  };
  for (std::size_t i = 0; i < files.size(); ++i)
    for (std::size_t j = i + 1; j < files.size(); ++j)
      if (!files[i].path.empty() && normal(files[i]) == normal(files[j]))
        return fmt::format("{} and {} name the same file, '{}': give each its own.", files[i].label,
                           files[j].label, files[j].path);
  if (config.keep_samples && config.jsonl_file.empty())
    return "--samples writes the samples into JSON Lines: give --jsonl FILE with it.";
  return {};
}

Refusal check_verdict(const RunConfig& config) {
  if (config.fail_unsure && !config.fail_below)
    return "--fail-unsure goes with --fail-below EFFICIENCY: give the limit that may be missed.";
  if (config.expects || !config.fail_below) return {};
  return "--fail-below needs to know how fast results should be: leave --expect off out.";
}

Refusal check_backend(const RunConfig& config) {
  if (!config.emulate_file.empty() && config.backend != "host" && config.backend != "auto")
    return fmt::format(
        "--emulate is for the host backend, not for '{}': leave --backend out, or give host.",
        config.backend);
  if (!config.nccl_library.empty() && config.backend != "nccl" && config.backend != "auto")
    return fmt::format(
        "--nccl-lib is for the nccl backend, not for '{}': leave --backend out, or give nccl.",
        config.backend);
  if (!config.algorithm.empty() && config.collective != nullptr && !config.collective->chooses)
    return fmt::format("--algo: there is one way only to do {}: leave it out.",
                       config.collective->name);
  if (config.fake.empty() || config.backend == "fake") return {};
  return fmt::format("--fake is for the fake backend, not for '{}': give --backend fake with it.",
                     config.backend);
}

Refusal check_pairs(const RunConfig& config) {
  if (config.collective != nullptr) return {};
  const std::string_view variable = config.split.kind != SplitRule::Kind::none ? "NCCL_TESTS_SPLIT"
                                    : config.min_bw_gbps                       ? "NCCL_TESTS_MIN_BW"
                                                                               : "";
  if (variable.empty()) return {};
  return fmt::format("{} is for the collectives, not for {}: unset it.", variable, kPairs);
}

}  // namespace

Refusal contradiction(const RunConfig& config) {
  constexpr std::array kChecks{check_sizes,   check_ranks,   check_iterations,    check_skew,
                               check_beside,  check_graph,   check_device_kernel, check_files,
                               check_verdict, check_backend, check_pairs};
  for (const auto check : kChecks)
    if (auto refusal = check(config)) return refusal;
  return {};
}

Refusal check_memcpy(const RunConfig& config) {
  const bool on_gpus = config.backend != "host";
  if (!on_gpus && !config.memcpy.gpus.empty())
    return "--gpus chooses GPUs, and --backend host has none: leave one of them out.";
  const auto tests = find_copy_tests(config.memcpy.tests, on_gpus);
  return tests ? Refusal() : tests.sentence();
}

Refusal check_against_ranks(const RunConfig& config, int nranks) {
  if (config.collective == nullptr) {
    if (nranks >= 2) return {};
    return fmt::format("{} measures pairs: give it at least 2 ranks, as with -g 2.", kPairs);
  }
  if (config.collective->refusal != nullptr)
    if (auto refusal = config.collective->refusal(nranks)) return refusal;
  if (config.root >= nranks)
    return fmt::format("-r/--root {} is none of the {} rank{}: choose one from 0 to {}, or all.",
                       config.root, nranks, nranks == 1 ? "" : "s", nranks - 1);
  return {};
}

Refusal gpu_option_refusal(const RunConfig& config, bool on_gpus) {
  const auto& gpu = config.gpu;
  if (on_gpus) return check_kernel_number(config);
  struct Given {
    bool is_given;
    std::string_view long_name;
  };
  const std::array<Given, 9> options{{
      {gpu.cudagraph != 0, "cudagraph"},
      {gpu.local_register != 0, "local_register"},
      {gpu.cta_policy.has_value(), "cta_policy"},
      {gpu.device_implementation != 0, "device_implementation"},
      {gpu.device_ctas.value_or(kDefaultCtas) != kDefaultCtas, "device_cta_count"},
      {gpu.stream_null, "stream_null"},
      {gpu.parallel_init, "parallel_init"},
      {gpu.nccl_tests_config, "nccl-tests-config"},
      {gpu.oversubscribe, "oversubscribe"},
  }};
  for (const auto& option : options) {
    if (!option.is_given) continue;
    const auto* row = find_option(Audience::collectives, option.long_name);
    assert(row != nullptr);
    const auto advice = row->is_flag() ? std::string("leave it out")
                                       : fmt::format("leave it out, or give {} {}, the default",
                                                     row->shortest(), row->default_text);
    return fmt::format("{} needs the nccl backend ({}): {}.", row->shortest(), row->help, advice);
  }
  return {};
}

}  // namespace linerate
