// memcpy_perf: opens the memories, plans the tests, runs them, and yields the exit code.
#include "backends/table.h"
#include "base/clock.h"
#include "base/error.h"
#include "bench/memcpy/copy_plan.h"
#include "bench/memcpy/memcpy_run.h"
#include "cli/parse.h"
#include "commands/command.h"
#include "commands/describe.h"
#include "commands/memcpy_output.h"
#include "commands/repeat.h"
#include "commands/watched_health.h"
#include "devices/cpu/cpu_device.h"
#include "launch/place.h"
#include "launch/turns.h"
#include "topo/machine.h"

#include <fmt/format.h>

#include <unistd.h>

#include <memory>
#include <numeric>
#include <optional>

namespace linerate {
namespace {

bool on_gpus(const RunConfig& config) { return config.backend != "host"; }

// Its tests were found when the command line was read.
std::vector<const CopyTest*> tests_of(const RunConfig& config) {
  return find_copy_tests(config.memcpy.tests, on_gpus(config)).value();
}

void print_tests(const RunConfig& config) {
  for (const auto* test : tests_of(config))
    fmt::print("{:<20} {}\n", test->name, summary_of(*test));
}

std::unique_ptr<CopyBench> open_bench(const RunConfig& config, const BackendInput& input) {
  if (!on_gpus(config)) return make_host_copy_bench(input.clock);
  return open_copy_bench(*find_backend("nccl").value(), input);
}

// The GPUs asked for, or all of them.
std::vector<int> chosen_gpus(const RunConfig& config, CopyBench& bench) {
  auto gpus = config.memcpy.gpus;
  for (const int gpu : gpus)
    if (gpu >= bench.gpus())
      throw Error(fmt::format("--gpus names GPU {}, and this process sees {}: give numbers below "
                              "that, or see what CUDA_VISIBLE_DEVICES hides.",
                              gpu, bench.gpus()),
                  ExitCode::usage);
  if (gpus.empty()) {
    gpus.resize(static_cast<std::size_t>(bench.gpus()));
    std::iota(gpus.begin(), gpus.end(), 0);
  }
  return gpus;
}

class MemcpyCommand {
 public:
  MemcpyCommand(const CommandInput& input, const RunConfig& config, MemcpyOutput& output)
      : input_(input),
        config_(config),
        output_(output),
        bench_(open_bench(config, {.clock = clock_, .environment = input.environment})),
        gpus_(chosen_gpus(config, *bench_)) {}

  ExitCode run();

 private:
  void plan();
  RunInfo describe() const;
  ExitCode measure(const RunInfo& info);

  const CommandInput& input_;
  const RunConfig& config_;
  MemcpyOutput& output_;
  SteadyClock clock_;
  std::unique_ptr<CopyBench> bench_;
  std::vector<int> gpus_;
  std::vector<CopyPlan> plans_;
  CopyRepeat repeat_;
  std::optional<std::string> size_note_;  // where copies are smaller than they were wanted
};

// What is measured, and with which size.
void MemcpyCommand::plan() {
  const CopyPlace place{.gpus = gpus_,
                        .reach = [&](int a, int b) { return bench_->reach_each_other(a, b); },
                        .threads = describe_machine().cores};
  for (const auto* test : tests_of(config_)) plans_.push_back(plan_of(*test, place));
  const auto wanted = config_.memcpy.bytes;
  const auto fit = fitting_bytes(plans_, wanted, [&](int end) {
    return end == kHostEnd ? free_memory_bytes() : bench_->free_bytes(end);
  });
  if (fit.bytes < wanted) size_note_ = fit_text(fit, wanted);
  if (fit.bytes == 0) throw Unavailable(fmt::format("{}: see what else runs here.", *size_note_));
  repeat_ = {.bytes = fit.bytes,
             .iters = config_.iters,
             .warmup_iters = config_.warmup_iters,
             .check = config_.check > 0,
             .limit_s = config_.timeout_s};
}

RunInfo MemcpyCommand::describe() const {
  RunInfo info = describe_program(config_, input_.environment);
  info.backend = on_gpus(config_) ? "nccl" : "host";
  info.backend_version = bench_->version();
  info.nranks = info.ngpus = static_cast<int>(gpus_.size());
  info.nnodes = info.nprocs = info.nthreads = 1;
  info.settings = {{"tests", fmt::format("\"{}\"", config_.memcpy.tests)},
                   {"bytes", fmt::to_string(repeat_.bytes)},
                   {"iters", fmt::to_string(repeat_.iters)},
                   {"warmup_iters", fmt::to_string(repeat_.warmup_iters)},
                   {"check", fmt::to_string(config_.check)},
                   {"timeout_s", fmt::to_string(config_.timeout_s)}};
  for (const int gpu : gpus_) {
    const auto described = bench_->describe(gpu);
    info.ranks.push_back({.rank = static_cast<int>(info.ranks.size()),
                          .pid = getpid(),
                          .hostname = this_host().hostname,
                          .device = gpu,
                          .bus_id = described.bus_id,
                          .device_name = described.name});
  }
  return info;
}

ExitCode MemcpyCommand::measure(const RunInfo& info) {
  Record common;
  common.run_id = info.run_id;
  common.nranks = info.nranks;
  common.nnodes = 1;
  common.backend = info.backend;
  common.backend_version = info.backend_version;
  const auto turns = TurnTaker::at(config_.turns);
  auto events = output_.events(repeat_, input_.interrupted);
  if (turns != nullptr)
    events.stage = [&, told = events.stage](CopyStage stage) {
      told(stage);
      if (stage == CopyStage::sample) turns->next(input_.interrupted);
    };
  const auto totals = run_memcpy(*bench_, plans_, repeat_, common, events);
  if (totals.interrupted) return ExitCode::interrupted;
  return totals.failed_checks > 0 ? ExitCode::failed : ExitCode::ok;
}

// What was measured before a failure reaches every file.
ExitCode MemcpyCommand::run() {
  plan();
  const RunInfo info = describe();
  std::optional<WatchedHealth> watch;
  if (config_.watches_health) watch.emplace(input_.environment);
  output_.begin(info, size_note_, plans_, repeat_);
  const auto health = [&watch] {
    return watch ? std::vector<NodeHealth>{watch->own()} : std::vector<NodeHealth>();
  };
  try {
    const auto code = measure(info);
    std::optional<std::string> remark;
    if (code == ExitCode::interrupted)
      remark = "interrupted by a signal: what is missing was not measured";
    output_.end(code, remark, health());
    return code;
  } catch (const Error& error) {
    output_.end(error.exit_code(), error.what(), health());
    throw;
  } catch (const std::exception& error) {  // no memory
    output_.end(ExitCode::failed, error.what(), health());
    throw;
  }
}

}  // namespace

ExitCode memcpy_command(const CommandInput& input) {
  const auto parsed = parse_run(input.call, input.environment);
  if (!parsed) return refuse(parsed.sentence());
  if (answers(parsed->intent, input.call)) return ExitCode::ok;
  if (parsed->config.list) {
    print_tests(parsed->config);
    return ExitCode::ok;
  }
  if (parsed->config.repeat > 1) return repeat_tool(input, parsed->config, {&parsed->config, 1});
  const auto output = MemcpyOutput::open(parsed->config, input.interrupted);
  if (!output) return refuse(output.sentence());
  try {
    return MemcpyCommand(input, parsed->config, **output).run();
  } catch (const Error& error) {
    (*output)->end_unbegun(describe_program(parsed->config, input.environment), error);
    throw;
  }
}

}  // namespace linerate
