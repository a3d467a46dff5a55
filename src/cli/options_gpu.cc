// The options that only a GPU can follow. Their defaults are taken by every backend.
#include "cli/option_table.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr std::int64_t kLastKernel = 4;
constexpr std::int64_t kMaxCtas = 128;

constexpr std::array<Choice<int>, 3> kRegistrations{{{"0", 0}, {"1", 1}, {"2", 2}}};
constexpr std::array<Choice<std::optional<int>>, 4> kPolicies{
    {{"-1", std::nullopt}, {"0", 0}, {"1", 1}, {"2", 2}}};

constexpr auto kRows = std::to_array<OptionRow>({
    {.short_name = 'G',
     .long_name = "cudagraph",
     .metavar = "N",
     .default_text = "0",
     .help = "capture the iterations once, launch the graph N times",
     .audience = Audience::collectives,
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {0, kMaxAtOnce}, c.gpu.cudagraph);
         }},
    {.short_name = 'R',
     .long_name = "local_register",
     .metavar = "0-2",
     .default_text = "0",
     .help = "register buffers: 1 local, 2 symmetric windows",
     .audience = Audience::collectives,
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_choice<int>(a, kRegistrations, c.gpu.local_register);
         }},
    {.short_name = 'x',
     .long_name = "cta_policy",
     .metavar = "0-2",
     .default_text = "-1",
     .help = "NCCL's CTA policy: 0 default, 1 efficiency, 2 zero; -1: unset",
     .audience = Audience::collectives,
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_choice<std::optional<int>>(a, kPolicies, c.gpu.cta_policy);
         }},
    {.short_name = 'D',
     .long_name = "device_implementation",
     .metavar = "0-4",
     .default_text = "0",
     .help = "number of the device-side kernel; 0: none",
     .note = "all_reduce and all_to_all only; needs -R 2.",
     .audience = Audience::collectives,
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {0, kLastKernel}, c.gpu.device_implementation);
         }},
    {.short_name = 'V',
     .long_name = "device_cta_count",
     .metavar = "N",
     .default_text = "16",
     .help = "CTAs of the kernel of -D, 1 to 128",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) -> Refusal {
       int ctas = 0;
       if (auto refusal = set_whole(a, {1, kMaxCtas}, ctas)) return refusal;
       c.gpu.device_ctas = ctas;
       return {};
     }},
    {.short_name = 'y',
     .long_name = "stream_null",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: the null stream instead of one of our own",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_switch(a, c.gpu.stream_null); }},
    {.short_name = 'p',
     .long_name = "parallel_init",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: each thread makes its communicators itself",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_switch(a, c.gpu.parallel_init); }},
    {.long_name = "nccl-tests-config",
     .help = "communicators as nccl-tests makes them: nvlinkCentricSched, maxP2pPeers",
     .note = "Without it they have the library's defaults, as a framework's have.",
     .audience = Audience::collectives,
     .apply = [](const Argument&, RunConfig& c) -> Refusal {
       c.gpu.nccl_tests_config = true;
       return {};
     }},
    {.long_name = "oversubscribe",
     .help = "several ranks may share a GPU, to try what works",
     .note = "Its bandwidths say nothing. Before NCCL 2.30 ranks that share one must be in "
             "different processes (--nprocs), and data goes over sockets.",
     .apply = [](const Argument&, RunConfig& c) -> Refusal {
       c.gpu.oversubscribe = true;
       return {};
     }},
});

}  // namespace

std::span<const OptionRow> gpu_options() { return kRows; }

}  // namespace linerate
