// The options that say how many ranks there are, what carries their data, and what they run.
#include "cli/option.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace linerate {
namespace {

constexpr std::int64_t kMaxFactor = 1 << 30;
constexpr std::int64_t kMaxShift = 1 << 20;  // elements

Refusal set_step_factor(const Argument& given, RunConfig& config) {
  auto refusal = set_whole(given, {1, kMaxFactor}, config.step_factor);
  if (refusal) *refusal += " 2 doubles the size each time, 1 means off: -i is added instead.";
  return refusal;
}

// -1 and all both mean every root in turn. The upper end is checked when the ranks are known.
Refusal set_root(const Argument& given, RunConfig& config) {
  if (given.text == "all") {
    config.root = -1;
    return {};
  }
  if (!set_whole(given, {-1, std::numeric_limits<int>::max()}, config.root)) return {};
  return fmt::format("{} '{}' is not a root: give a rank from 0 up, or -1 or all for every rank.",
                     given.label, given.text);
}

constexpr auto kRankRows = std::to_array<OptionRow>({
    {.short_name = 't',
     .long_name = "nthreads",
     .metavar = "N",
     .default_text = "1",
     .help = "threads of each process; each drives -g ranks",
     .note = "A run has processes x threads x -g ranks.",
     .apply = set_whole_of<JobConfig, 1, kMaxRanks, &JobConfig::nthreads>},
    {.short_name = 'g',
     .long_name = "ngpus",
     .metavar = "N",
     .default_text = "1",
     .help = "ranks (GPUs, if there are any) of each thread",
     .note = "On host memory each of them is a thread of its own.",
     .apply = set_whole_of<JobConfig, 1, kMaxRanks, &JobConfig::ngpus>},
    {.long_name = "nprocs",
     .metavar = "N",
     .help = "start N processes on this host, without a launcher",
     .note = "The started process stays as their parent, and its exit code is the run's.",
     .apply = set_whole_of<JobConfig, 1, kMaxRanks, &JobConfig::nprocs>},
    {.long_name = "backend",
     .metavar = "NAME",
     .default_text = "auto",
     .help = "what carries the data: auto, host, mpi, gloo, nccl or fake",
     .note = "auto takes nccl where a host has an NVIDIA GPU, mpi under an MPI launcher, else host "
             "on one host and gloo on several, and says on stderr what it chose. fake moves real "
             "bytes on a virtual clock, for tests.",
     .apply = set_choice<JobConfig, kBackends, &JobConfig::backend>},
    {.long_name = "nccl-lib",
     .metavar = "PATH",
     .help = "the NCCL library to load, 2.18 or newer (with --backend nccl)",
     .note =
         "Without it, libnccl.so.2 as the dynamic linker finds it. The output names the version.",
     .apply = set_text<JobConfig, &JobConfig::nccl_library>},
    {.long_name = "emulate",
     .metavar = "FILE.yaml",
     .help = "measure on the network that FILE describes, with the host backend",
     .note = "Nodes, NICs, racks and a spine with their bandwidths and latencies: see "
             "[emulated networks](emulation.md). auto then means host.",
     .apply = set_text<JobConfig, &JobConfig::emulate_file>},
    {.long_name = "fake",
     .metavar = "SPEC",
     .help = "what the fake backend injects (with --backend fake)",
     .note = "Such as alpha=5us,bw=10,noise=2%; [all keys](#the-fake-backend). For tests of "
             "linerate.",
     .apply = set_text<JobConfig, &JobConfig::fake>},
    {.short_name = 'T',
     .long_name = "timeout",
     .metavar = "SECONDS",
     .default_text = "0",
     .help = "end a run that hangs this long (exit 4); 0: off",
     .note = "Bounds initialisation, barriers and operations. Without it initialisation alone is "
             "bounded, at 300 s. A rank that dies is noticed in any case.",
     .apply = [](const Argument& a, JobConfig& c) { return set_seconds(a, c.timeout_s); }},
});

constexpr auto kSizeRows = std::to_array<OptionRow>({
    {.short_name = 'b',
     .long_name = "minbytes",
     .metavar = "SIZE",
     .default_text = "32M",
     .help = "first size",
     .note = "At least 1, and not above -e: -b 64M alone is refused, because -e is 32M.",
     .audience = Audience::collectives,
     .apply = set_bytes<RunConfig, 1, &RunConfig::min_bytes>},
    {.short_name = 'e',
     .long_name = "maxbytes",
     .metavar = "SIZE",
     .default_text = "32M",
     .help = "last size",
     .note = "Lowered, with a line that says so, if the buffers would not fit in memory.",
     .audience = Audience::collectives,
     .apply = set_bytes<RunConfig, 1, &RunConfig::max_bytes>},
    {.short_name = 'i',
     .long_name = "stepbytes",
     .metavar = "SIZE",
     .default_text = "1M",
     .help = "added to the size each time, when -f is off",
     .note = "0 needs a factor (-f 2 or more).",
     .audience = Audience::collectives,
     .apply = set_bytes<RunConfig, 0, &RunConfig::step_bytes>},
    {.short_name = 'f',
     .long_name = "stepfactor",
     .metavar = "N",
     .default_text = "1",
     .help = "multiplies the size each time; 1: off",
     .note = "A whole number: 0, 1.5 and words are refused.",
     .audience = Audience::collectives,
     .apply = set_step_factor},
    {.short_name = 'u',
     .long_name = "unalign",
     .metavar = "N",
     .default_text = "0",
     .help = "shift both buffers by N elements",
     .audience = Audience::collectives,
     .apply = set_whole_of<RunConfig, 0, kMaxShift, &RunConfig::unalign>},
    {.long_name = "limit-memory",
     .metavar = "SIZE",
     .help = "memory of one rank's buffers",
     .note = "Without it: 80 % of the free memory, divided by the ranks of the host.",
     .apply = set_bytes<RunConfig, 1, &RunConfig::limit_memory>},
});

constexpr auto kPairRows = std::to_array<OptionRow>({
    {.short_name = 'b',
     .long_name = "minbytes",
     .metavar = "SIZE",
     .default_text = "8",
     .help = "size of the messages that latency is measured with",
     .note = "Not above -e.",
     .audience = Audience::p2p,
     .apply = set_bytes<RunConfig, 1, &RunConfig::min_bytes>},
    {.short_name = 'e',
     .long_name = "maxbytes",
     .metavar = "SIZE",
     .default_text = "32M",
     .help = "size of the messages that bandwidth is measured with",
     .audience = Audience::p2p,
     .apply = set_bytes<RunConfig, 1, &RunConfig::max_bytes>},
    {.long_name = "at-once",
     .help = "measure disjoint pairs at the same time",
     .note = "In rounds that cover all pairs; without it each pair is alone. A thread of several "
             "GPUs (-g) still measures its own pairs one after the other.",
     .audience = Audience::p2p,
     .apply = set_flag<RunConfig, &RunConfig::at_once>},
});

constexpr auto kCaseRows = std::to_array<OptionRow>({
    {.long_name = "algo",
     .metavar = "NAME",
     .help = "the algorithm that the host backend uses wherever it is defined",
     .note = "eager, pull, flat, recursive_doubling, ring, tree or hierarchical; without it the "
             "backend chooses by collective, size and ranks from a measured table (`linerate tune "
             "host`). The JSON Lines name the algorithm of each result. Other backends choose for "
             "themselves and refuse it.",
     .audience = Audience::collectives,
     .apply = set_text<RunConfig, &RunConfig::algorithm>},
    {.short_name = 'd',
     .long_name = "datatype",
     .metavar = "TYPE",
     .default_text = "float",
     .help = "element type: int8, uint8, int32, uint32, int64, uint64, half, float, double, "
             "bfloat16, f8e4m3, f8e5m2 or all",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_types(a, c.types); }},
    {.short_name = 'o',
     .long_name = "op",
     .metavar = "OP",
     .default_text = "sum",
     .help = "reduction: sum, prod, max, min, avg, mulsum or all",
     .note = "mulsum multiplies each rank's input by a number of that rank before the sum. "
             "Collectives that do not reduce accept and ignore it.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_ops(a, c.ops); }},
    {.short_name = 'r',
     .long_name = "root",
     .metavar = "RANK",
     .default_text = "0",
     .help = "root rank; -1 or all: every rank in turn",
     .note = "With NCCL_TESTS_SPLIT it is a rank within the group.",
     .audience = Audience::collectives,
     .apply = set_root},
    {.long_name = "seed",
     .metavar = "N",
     .default_text = "0",
     .help = "start of the data generator",
     .note = "The same seed gives the same buffers on every backend.",
     .apply = [](const Argument& a, RunConfig& c) { return set_whole(a, {}, c.seed); }},
});

}  // namespace

std::span<const OptionRow> rank_options() { return kRankRows; }
std::span<const OptionRow> size_options() { return kSizeRows; }
std::span<const OptionRow> pair_options() { return kPairRows; }
std::span<const OptionRow> case_options() { return kCaseRows; }

}  // namespace linerate
