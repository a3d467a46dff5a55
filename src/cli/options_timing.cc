// The options that say how often each case runs, what is timed, what is checked; and of GPUs.
#include "cli/option.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr std::array<Choice<Average>, 4> kAverages{
    {{"0", Average::rank0}, {"1", Average::mean}, {"2", Average::min}, {"3", Average::max}}};
constexpr std::array<Choice<Blocking>, 4> kBlocking{{{"0", Blocking::none},
                                                     {"1", Blocking::wait_and_barrier},
                                                     {"2", Blocking::wait},
                                                     {"3", Blocking::outer}}};
constexpr std::array<Choice<Sync>, 2> kSyncs{{{"barrier", Sync::barrier}, {"none", Sync::none}}};
constexpr std::array<Choice<Sliding>, 2> kSlidings{
    {{"slide", Sliding::slide}, {"fixed", Sliding::fixed}}};

constexpr std::int64_t kLastKernel = 4;
constexpr std::int64_t kMaxCtas = 128;

constexpr std::array<Choice<int>, 3> kRegistrations{{{"0", 0}, {"1", 1}, {"2", 2}}};
constexpr std::array<Choice<std::optional<int>>, 4> kPolicies{
    {{"-1", std::nullopt}, {"0", 0}, {"1", 1}, {"2", 2}}};

constexpr auto kRepeatRows = std::to_array<OptionRow>({
    {.short_name = 'n',
     .long_name = "iters",
     .metavar = "N",
     .default_text = "20",
     .help = "timed iterations of each case",
     .apply = set_whole_of<RunConfig, 1, kMaxRepeats, &RunConfig::iters>},
    {.short_name = 'm',
     .long_name = "agg_iters",
     .metavar = "N",
     .default_text = "1",
     .help = "calls in each iteration, fused into one group",
     .note = "The time printed is that of one call.",
     .audience = Audience::collectives,
     .apply = set_whole_of<RunConfig, 1, kMaxAtOnce, &RunConfig::agg_iters>},
    {.short_name = 'w',
     .long_name = "warmup_iters",
     .metavar = "N",
     .default_text = "1",
     .help = "untimed iterations before each case",
     .note = "In both placements, and on GPUs one at least; nccl-tests makes one before each case, "
             "and N of each size before the first case of a type and operator.",
     .apply = set_whole_of<RunConfig, 0, kMaxRepeats, &RunConfig::warmup_iters>},
    {.short_name = 'N',
     .long_name = "run_cycles",
     .metavar = "N",
     .default_text = "1",
     .help = "repeat the whole sweep; 0: for ever",
     .audience = Audience::collectives,
     .apply = set_whole_of<RunConfig, 0, kMaxRepeats, &RunConfig::run_cycles>},
    {.long_name = "repeat",
     .metavar = "N",
     .default_text = "1",
     .help = "run the whole tool N times, each in fresh processes, and sum them up",
     .note =
         "One table each, and # lines with the medians over runs after the last. Where linerate "
         "starts the ranks itself (-t, -g, --nprocs); under mpirun and srun repeat the launch: "
         "[comparing runs](comparing-runs.md#under-a-launcher).",
     .apply = set_whole_of<RunConfig, 1, kMaxRuns, &RunConfig::repeat>},
    {.long_name = "stop",
     .metavar = "RULE",
     .help = "repeat windows of -n until ci=1%,max=5s (either or both)",
     .note = "ci: half width of the 95 % interval of the median, as a fraction of the median; max: "
             "time of one case. The table's time is the mean over all windows, the interval that "
             "of the samples. Without it a case has exactly -n iterations.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_stop_rule(a, c.stop); }},
});

constexpr auto kTimingRows = std::to_array<OptionRow>({
    {.short_name = 'a',
     .long_name = "average",
     .metavar = "0-3",
     .default_text = "1",
     .help = "the time of a case: 0 rank 0's, 1 mean, 2 min, 3 max of ranks",
     .note = "Over the processes and threads of the run.",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kAverages, &RunConfig::average>},
    {.short_name = 'z',
     .long_name = "blocking",
     .metavar = "0-3",
     .default_text = "0",
     .help = "0: calls back to back; 1-3: wait between them",
     .note = "1: wait and barrier after each call; 2: wait after each call; 3: wait after each "
             "iteration, with a barrier that is not in the time.",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kBlocking, &RunConfig::blocking>},
    {.short_name = 'C',
     .long_name = "report_cputime",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: the time column shows the time until the calls return",
     .note = "Bandwidths still use the elapsed time.",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kSwitch, &RunConfig::report_cputime>},
    {.short_name = 'I',
     .long_name = "per_iter_timing",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: four more columns per placement, from each iteration",
     .note = "Not together with -G.",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kSwitch, &RunConfig::per_iter_timing>},
    {.short_name = 'K',
     .long_name = "per_iter_skip",
     .metavar = "N",
     .default_text = "0",
     .help = "leave the first N iterations out of -I",
     .note = "Needs -I 1, and fewer than -n.",
     .audience = Audience::collectives,
     .apply = set_whole_of<RunConfig, 0, kMaxRepeats, &RunConfig::per_iter_skip>},
    {.long_name = "sync",
     .metavar = "HOW",
     .default_text = "barrier",
     .help = "between samples: barrier or none",
     .note = "The barrier is never inside a sample. none shows what a program without barriers "
             "sees.",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kSyncs, &RunConfig::sync>},
    {.long_name = "skew",
     .metavar = "uniform:TIME|FILE",
     .help = "ranks enter each sample late, by delays drawn up to TIME or as FILE lists them",
     .note = "FILE has a line of microseconds for each rank; sample i takes number i. The table's "
             "times are of calls without delays; what the samples show follows the table.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_skew(a, c.skew); }},
    {.long_name = "beside",
     .metavar = "LOAD[:SIZE]",
     .help = "what the calls and a load on each rank cost each other: gemm, memory or a COLLECTIVE",
     .note = "gemm:N is products of N x N matrices: float32 on the host (512), bfloat16 by cuBLAS "
             "on GPUs (8192); memory:SIZE copies (64M); COLLECTIVE:SIZE calls (4M) on a second "
             "communicator of all ranks, or of each colour, as in all_gather:4M:MOD2. The table's "
             "times are of calls alone; both slow-downs follow it.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_load(a, c.beside); }},
    {.long_name = "buffers",
     .metavar = "HOW",
     .default_text = "slide",
     .help = "windows slide through memory, or stay fixed",
     .note = "Sliding windows keep small sizes from living in the caches.",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kSlidings, &RunConfig::sliding>},
    {.short_name = 'c',
     .long_name = "check",
     .metavar = "N",
     .default_text = "1",
     .help = "rounds of verification of each case; 0: off",
     .apply = set_whole_of<RunConfig, 0, kMaxAtOnce, &RunConfig::check>},
});

constexpr auto kGpuRows = std::to_array<OptionRow>({
    {.short_name = 'G',
     .long_name = "cudagraph",
     .metavar = "N",
     .default_text = "0",
     .help = "capture the iterations once, launch the graph N times",
     .audience = Audience::collectives,
     .apply = set_whole_of<RunConfig, 0, kMaxAtOnce, &RunConfig::gpu, &GpuOptions::cudagraph>},
    {.short_name = 'R',
     .long_name = "local_register",
     .metavar = "0-2",
     .default_text = "0",
     .help = "register buffers: 1 local, 2 symmetric windows",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kRegistrations, &RunConfig::gpu, &GpuOptions::local_register>},
    {.short_name = 'x',
     .long_name = "cta_policy",
     .metavar = "0-2",
     .default_text = "-1",
     .help = "NCCL's CTA policy: 0 default, 1 efficiency, 2 zero; -1: unset",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kPolicies, &RunConfig::gpu, &GpuOptions::cta_policy>},
    {.short_name = 'D',
     .long_name = "device_implementation",
     .metavar = "0-4",
     .default_text = "0",
     .help = "number of the device-side kernel; 0: none",
     .note = "all_reduce and all_to_all only; needs -R 2.",
     .audience = Audience::collectives,
     .apply = set_whole_of<RunConfig, 0, kLastKernel, &RunConfig::gpu,
                           &GpuOptions::device_implementation>},
    {.short_name = 'V',
     .long_name = "device_cta_count",
     .metavar = "N",
     .default_text = "16",
     .help = "CTAs of the kernel of -D, 1 to 128",
     .audience = Audience::collectives,
     .apply = set_whole_of<RunConfig, 1, kMaxCtas, &RunConfig::gpu, &GpuOptions::device_ctas>},
    {.short_name = 'y',
     .long_name = "stream_null",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: the null stream instead of one of our own",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kSwitch, &RunConfig::gpu, &GpuOptions::stream_null>},
    {.short_name = 'p',
     .long_name = "parallel_init",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: each thread makes its communicators itself",
     .audience = Audience::collectives,
     .apply = set_choice<RunConfig, kSwitch, &RunConfig::gpu, &GpuOptions::parallel_init>},
    {.long_name = "nccl-tests-config",
     .help = "communicators as nccl-tests makes them: nvlinkCentricSched, maxP2pPeers",
     .note = "Without it they have the library's defaults, as a framework's have.",
     .audience = Audience::collectives,
     .apply = set_flag<RunConfig, &RunConfig::gpu, &GpuOptions::nccl_tests_config>},
    {.long_name = "oversubscribe",
     .help = "several ranks may share a GPU, to try what works",
     .note = "Bandwidths are then meaningless. Before NCCL 2.30 ranks that share one must be in "
             "different processes (--nprocs), and data goes over sockets.",
     .apply = set_flag<RunConfig, &RunConfig::gpu, &GpuOptions::oversubscribe>},
});

}  // namespace

std::span<const OptionRow> repeat_options() { return kRepeatRows; }
std::span<const OptionRow> timing_options() { return kTimingRows; }
std::span<const OptionRow> gpu_options() { return kGpuRows; }

}  // namespace linerate
