// The options that say what is timed, how times become one, and what is checked.
#include "cli/option_table.h"
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

constexpr auto kRows = std::to_array<OptionRow>({
    {.short_name = 'a',
     .long_name = "average",
     .metavar = "0-3",
     .default_text = "1",
     .help = "the time of a case: 0 rank 0's, 1 mean, 2 min, 3 max of ranks",
     .note = "Over the processes and threads of the run.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a,
                 RunConfig& c) { return set_choice<Average>(a, kAverages, c.average); }},
    {.short_name = 'z',
     .long_name = "blocking",
     .metavar = "0-3",
     .default_text = "0",
     .help = "0: calls back to back; 1-3: wait between them",
     .note = "1: wait and barrier after each call; 2: wait after each call; 3: wait after each "
             "iteration, with a barrier that is not in the time.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a,
                 RunConfig& c) { return set_choice<Blocking>(a, kBlocking, c.blocking); }},
    {.short_name = 'C',
     .long_name = "report_cputime",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: the time column is that of the calls until they return",
     .note = "Bandwidths keep the elapsed time.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_switch(a, c.report_cputime); }},
    {.short_name = 'I',
     .long_name = "per_iter_timing",
     .metavar = "0|1",
     .default_text = "0",
     .help = "1: four more columns per placement, from each iteration",
     .note = "Not together with -G.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_switch(a, c.per_iter_timing); }},
    {.short_name = 'K',
     .long_name = "per_iter_skip",
     .metavar = "N",
     .default_text = "0",
     .help = "leave the first N iterations out of -I",
     .note = "Needs -I 1, and fewer than -n.",
     .audience = Audience::collectives,
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {0, kMaxRepeats}, c.per_iter_skip);
         }},
    {.long_name = "sync",
     .metavar = "HOW",
     .default_text = "barrier",
     .help = "between samples: barrier or none",
     .note = "The barrier is never inside a sample. none shows what a program without barriers "
             "sees.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) { return set_choice<Sync>(a, kSyncs, c.sync); }},
    {.long_name = "buffers",
     .metavar = "HOW",
     .default_text = "slide",
     .help = "windows slide through memory, or stay fixed",
     .note = "Sliding windows keep small sizes from living in the caches.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a,
                 RunConfig& c) { return set_choice<Sliding>(a, kSlidings, c.sliding); }},
    {.short_name = 'c',
     .long_name = "check",
     .metavar = "N",
     .default_text = "1",
     .help = "rounds of verification of each case; 0: off",
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {0, kMaxAtOnce}, c.check);
         }},
});

}  // namespace

std::span<const OptionRow> timing_options() { return kRows; }

}  // namespace linerate
