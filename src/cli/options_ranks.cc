// The options that say how many ranks there are and what carries their data.
#include "cli/option_table.h"
#include "cli/values.h"

#include <array>

namespace linerate {
namespace {

constexpr std::array<Choice<std::string_view>, 6> kBackends{{{"auto", "auto"},
                                                             {"host", "host"},
                                                             {"mpi", "mpi"},
                                                             {"gloo", "gloo"},
                                                             {"nccl", "nccl"},
                                                             {"fake", "fake"}}};

Refusal set_backend(const Argument& given, RunConfig& config) {
  std::string_view name;
  if (auto refusal = set_choice<std::string_view>(given, kBackends, name)) return refusal;
  config.backend = name;
  return {};
}

constexpr auto kRows = std::to_array<OptionRow>({
    {.short_name = 't',
     .long_name = "nthreads",
     .metavar = "N",
     .default_text = "1",
     .help = "threads of each process; each drives -g ranks",
     .note = "A run has processes x threads x -g ranks.",
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {1, kMaxRanks}, c.nthreads);
         }},
    {.short_name = 'g',
     .long_name = "ngpus",
     .metavar = "N",
     .default_text = "1",
     .help = "ranks (GPUs, where there are some) of each thread",
     .note = "On host memory each of them is a thread of its own.",
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {1, kMaxRanks}, c.ngpus);
         }},
    {.long_name = "nprocs",
     .metavar = "N",
     .help = "start N processes on this host, without a launcher",
     .note = "The started process stays as their parent, and its exit code is the run's.",
     .apply =
         [](const Argument& a, RunConfig& c) {
           return set_whole(a, {1, kMaxRanks}, c.nprocs);
         }},
    {.long_name = "backend",
     .metavar = "NAME",
     .default_text = "auto",
     .help = "what carries the data: auto, host, mpi, gloo, nccl or fake",
     .note = "auto takes nccl where a host has an NVIDIA GPU, mpi under an MPI launcher, else host "
             "on one host and gloo on several, and says on stderr what it chose. fake moves real "
             "bytes on a virtual clock, for tests.",
     .apply = set_backend},
    {.long_name = "algo",
     .metavar = "NAME",
     .help = "the algorithm that the host backend uses wherever it is defined",
     .note =
         "eager, pull, flat, recursive_doubling, ring, tree or hierarchical; else it chooses by "
         "collective, size and ranks from a measured table (`linerate tune host`). The JSON "
         "Lines name the algorithm of each result. Elsewhere refused: those backends choose "
         "alone.",
     .audience = Audience::collectives,
     .apply = [](const Argument& a, RunConfig& c) -> Refusal {
       if (a.text.empty()) return std::string(a.label) + " needs the name of an algorithm.";
       c.algorithm = a.text;
       return {};
     }},
    {.long_name = "nccl-lib",
     .metavar = "PATH",
     .help = "the NCCL library to load, 2.18 or newer (with --backend nccl)",
     .note = "Else libnccl.so.2 as the dynamic linker finds it. The output names the version.",
     .apply = [](const Argument& a, RunConfig& c) -> Refusal {
       if (a.text.empty()) return std::string(a.label) + " needs a file's name.";
       c.nccl_library = a.text;
       return {};
     }},
    {.long_name = "emulate",
     .metavar = "FILE.yaml",
     .help = "measure on the network that FILE describes, with the host backend",
     .note = "Nodes, NICs, racks and a spine with their bandwidths and latencies: see "
             "[emulated networks](emulation.md). auto then means host.",
     .apply = [](const Argument& a, RunConfig& c) -> Refusal {
       if (a.text.empty()) return std::string(a.label) + " needs a file's name.";
       c.emulate_file = a.text;
       return {};
     }},
    {.long_name = "fake",
     .metavar = "SPEC",
     .help = "what the fake backend injects (with --backend fake)",
     .note = "Such as alpha=5us,bw=10,noise=2%; [all keys](#the-fake-backend). For tests of "
             "linerate.",
     .apply = [](const Argument& a, RunConfig& c) -> Refusal {
       if (a.text.empty()) return std::string(a.label) + " needs a specification.";
       c.fake = a.text;
       return {};
     }},
});

}  // namespace

std::span<const OptionRow> rank_options() { return kRows; }

}  // namespace linerate
