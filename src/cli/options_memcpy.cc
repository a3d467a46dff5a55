// All options of memcpy_perf.
#include "bench/memcpy/copy_tests.h"
#include "cli/option.h"
#include "cli/shared_rows.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate {
namespace {

constexpr std::int64_t kMaxGpus = 1024;
constexpr std::array<Choice<std::string_view>, 3> kCopyBackends{
    {{"auto", "auto"}, {"nccl", "nccl"}, {"host", "host"}}};

Refusal set_copy_bytes(const Argument& given, RunConfig& config) {
  if (auto refusal = set_read(whole_bytes(given, kCopyGrain), config.memcpy.bytes)) return refusal;
  if (config.memcpy.bytes % kCopyGrain == 0) return {};
  return fmt::format("{} {} is no multiple of {} bytes: kernels copy {} at a time.", given.label,
                     given.text, kCopyGrain, kCopyGrain);
}

Refusal set_gpus(const Argument& given, RunConfig& config) {
  auto& gpus = config.memcpy.gpus;
  gpus.clear();
  for (const auto& word : split(given.text, ',')) {
    int gpu = 0;
    if (auto refusal = set_whole({given.label, word}, {0, kMaxGpus}, gpu)) return refusal;
    if (std::ranges::find(gpus, gpu) != gpus.end())
      return fmt::format("{} names GPU {} twice: name it once.", given.label, gpu);
    gpus.push_back(gpu);
  }
  return {};
}

constexpr auto kMemcpyRows = std::to_array<OptionRow>({
    {.short_name = 't',
     .long_name = "test",
     .metavar = "NAMES",
     .default_text = "all",
     .help = "tests, separated by commas; --list names them",
     .note = "A name, one of nvbandwidth's, or the beginning of either: h2d is h2d_ce and h2d_sm.",
     .apply = set_text<RunConfig, &RunConfig::memcpy, &MemcpyOptions::tests>},
    {.long_name = "gpus",
     .metavar = "LIST",
     .help = "GPUs by number, separated by commas; all of them without it",
     .note = "Counted as CUDA counts them: see CUDA_VISIBLE_DEVICES.",
     .apply = set_gpus},
    {.short_name = 'b',
     .long_name = "bytes",
     .metavar = "SIZE",
     .default_text = "512M",
     .help = "size of each copy, lowered to what the memory holds",
     .note = "A multiple of 16 bytes. A sample is up to 32 such copies, one after the other. If "
             "several directions run at once, a faster one makes up to four times as many.",
     .apply = set_copy_bytes},
    {.short_name = 'n',
     .long_name = "iters",
     .metavar = "N",
     .default_text = "16",
     .help = "samples of each cell; their median is printed",
     .apply = set_whole_of<RunConfig, 1, kMaxAtOnce, &RunConfig::iters>},
    {.short_name = 'w',
     .long_name = "warmup_iters",
     .metavar = "N",
     .default_text = "1",
     .help = "samples that are made first and not counted",
     .note = "They also decide how many copies each of several directions makes, so that all are "
             "busy to the end; with 0 all make the same number.",
     .apply = set_whole_of<RunConfig, 0, kMaxAtOnce, &RunConfig::warmup_iters>},
    {.long_name = "repeat",
     .metavar = "N",
     .default_text = "1",
     .help = "run all of it N times, each in a fresh process, and sum them up",
     .note = "The medians over runs stand in # lines after the last matrix.",
     .apply = set_whole_of<RunConfig, 1, kMaxRuns, &RunConfig::repeat>},
    {.short_name = 'c',
     .long_name = "check",
     .metavar = "0|1",
     .default_text = "1",
     .help = "1: compare all copied data with its source, once for each cell",
     .apply = set_whole_of<RunConfig, 0, 1, &RunConfig::check>},
    {.short_name = 'T',
     .long_name = "timeout",
     .metavar = "SEC",
     .default_text = "60",
     .help = "longest wait for a GPU, in seconds; then the run ends with exit code 4",
     .note = "What was measured until then is kept. 0: wait for ever.",
     .apply = [](const Argument& a, RunConfig& c) { return set_seconds(a, c.timeout_s); }},
    {.long_name = "backend",
     .metavar = "NAME",
     .default_text = "auto",
     .help = "auto and nccl: GPUs, through the module of the nccl backend; host: no GPU",
     .note = "host measures copies within the host's memory.",
     .apply = set_choice<RunConfig, kCopyBackends, &RunConfig::backend>},
    {.long_name = "jsonl",
     .metavar = "FILE",
     .help = "one JSON object per line, as it is measured; appends to FILE",
     .apply = set_file_of<RunConfig, &RunConfig::jsonl_file>},
    {.long_name = "csv",
     .metavar = "FILE",
     .help = "the results for a spreadsheet; appends to FILE",
     .apply = set_file_of<RunConfig, &RunConfig::csv_file>},
    kWatchHealthRow<RunConfig>,
    {.short_name = 'h', .long_name = "help", .help = "print this text"},
    {.long_name = "version", .help = "print the version"},
    {.long_name = "list",
     .help = "print the tests, one per line, and run nothing",
     .apply = set_flag<RunConfig, &RunConfig::list>},
});

}  // namespace

std::span<const OptionRow> memcpy_options() { return kMemcpyRows; }

}  // namespace linerate
