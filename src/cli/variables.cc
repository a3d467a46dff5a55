// The environment variables that linerate reads.
#include "cli/option.h"
#include "cli/values.h"

#include <fmt/format.h>

#include <array>
#include <limits>

namespace linerate {
namespace {

constexpr std::int64_t kMaxDevices = 1023;
constexpr double kLargest = std::numeric_limits<double>::max();

Refusal set_min_bw(const Argument& given, RunConfig& config) {
  if (!set_read(number_within(given, {0, kLargest}), config.min_bw_gbps)) return {};
  return fmt::format("{} '{}' is not a bandwidth: give GB/s as a number from 0 up.", given.label,
                     given.text);
}

Refusal set_matrix_scale(const Argument& given, RunConfig& config) {
  const auto scale = number_within(given, {0, kLargest});
  if (!scale || *scale == 0)
    return fmt::format("{} '{}' is not a factor: give a number above 0.", given.label, given.text);
  return set_read(scale, config.traffic.matrix_scale);
}

// "ID", "ID:N" with the number of a repetition, "ID:N/M": of so many, or "ID:N/M/S": of which those
// before took S seconds each.
Refusal set_study(const Argument& given, RunConfig& config) {
  constexpr std::size_t kLongest = 100;
  const auto colon = given.text.rfind(':');
  const auto id = given.text.substr(0, colon);
  if (id.empty() || id.size() > kLongest)
    return fmt::format(
        "{} '{}' is no study: give ID, ID:N or ID:N/M, with an ID of up to {} characters.",
        given.label, plain_text(given.text), kLongest);
  config.study = id;
  if (colon == std::string_view::npos) return {};
  const auto numbers = given.text.substr(colon + 1);
  const auto slash = numbers.find('/');
  const Argument number{given.label, numbers.substr(0, slash)};
  if (auto refusal = set_whole(number, {1, kMaxRuns}, config.repetition)) return refusal;
  if (slash == std::string_view::npos) return {};
  const auto rest = numbers.substr(slash + 1);
  const auto second = rest.find('/');
  const Argument last{given.label, rest.substr(0, second)};
  if (auto refusal = set_whole(last, {config.repetition, kMaxRuns}, config.repetitions))
    return refusal;
  if (second == std::string_view::npos) return {};
  const Argument seconds{given.label, rest.substr(second + 1)};
  if (!set_read(number_within(seconds, {0, kLargest}), config.repetition_s)) return {};
  return fmt::format("{} '{}' gives no seconds behind its second slash.", given.label,
                     plain_text(given.text));
}

// The mask stands after the operator, because it takes precedence.
constexpr auto kVariableRows = std::to_array<VariableRow>({
    {.name = "NCCL_TESTS_SPLIT",
     .metavar = "OP N",
     .help = "groups of ranks: colour = rank OP N, such as MOD8 or DIV4",
     .note = "OP is AND, OR, MOD, DIV or &, |, %, /; N is decimal, 0x or 0b. Ranks of one colour "
             "are one group; all groups run at once.",
     .apply = [](const Argument& a, RunConfig& c) { return set_split(a, c.split); }},
    {.name = "NCCL_TESTS_SPLIT_MASK",
     .metavar = "HEX",
     .help = "groups of ranks: colour = rank AND mask",
     .note = "Takes precedence over NCCL_TESTS_SPLIT.",
     .apply = [](const Argument& a, RunConfig& c) { return set_split_mask(a, c.split); }},
    {.name = "NCCL_TESTS_MIN_BW",
     .metavar = "GBPS",
     .help = "exit 3 when the average busbw is below 0.9 of this",
     .apply = set_min_bw},
    {.name = "NCCL_TESTS_DEVICE",
     .metavar = "N",
     .help = "the first device of a process",
     .note = "Without it: the local rank times the ranks of a process.",
     .apply = set_whole_of<RunConfig, 0, kMaxDevices, &RunConfig::base_device>},
    {.name = "NCCL_TESTS_ALLTOALLV_SPREAD",
     .metavar = "0..1",
     .default_text = "1",
     .help = "alltoallv: 0 uniform, 1 bytes weighted by distance",
     .apply = set_number<RunConfig, 0, 1, &RunConfig::traffic, &TrafficOptions::spread>},
    {.name = "NCCL_TESTS_ALLTOALLV_MATRIX_FILE",
     .metavar = "FILE",
     .help = "alltoallv: bytes from each rank to each rank",
     .note = "A text file with a line per sender and a number per receiver, between blanks: 4096, "
             "1.5 or 1e3. At least as many rows as ranks, and as many columns as rows; surplus "
             "ones are ignored. Each number is multiplied by the scale and rounded down to 16 "
             "bytes. -b and -e must be equal, and at least the bytes of the busiest rank.",
     .apply = set_file_of<RunConfig, &RunConfig::traffic, &TrafficOptions::matrix_file>},
    {.name = "NCCL_TESTS_ALLTOALLV_MATRIX_SCALE",
     .metavar = "FACTOR",
     .default_text = "1",
     .help = "alltoallv: multiplies the matrix",
     .apply = set_matrix_scale},
    {.name = "NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY",
     .metavar = "0|1",
     .default_text = "0",
     .help = "alltoallv: 1 prints the bytes of each rank",
     .apply = set_choice<RunConfig, kSwitch, &RunConfig::traffic, &TrafficOptions::print_summary>},
    {.name = "LINERATE_JSONL",
     .metavar = "FILE",
     .help = "as --jsonl, where that is not given",
     .note = "So that scripts, and linerate compare --run, get the records of a command as it is.",
     .apply = set_file_of<RunConfig, &RunConfig::jsonl_file>},
    {.name = "LINERATE_STUDY",
     .metavar = "ID[:N[/M[/S]]]",
     .help = "the study that this run belongs to, which repetition of how many, seconds of those "
             "before",
     .note = "study and repeat in JSON Lines; for repetitions that linerate does not start itself.",
     .apply = set_study},
    {.name = "LINERATE_TURNS",
     .metavar = "ADDRESS",
     .help = "take turns with other programs, window by window",
     .note = "Set by linerate compare --turns windows.",
     .apply = set_text<RunConfig, &RunConfig::turns>},
});

// Read elsewhere: a test looks in the sources for others. Names with blanks between them.
constexpr auto kOtherVariables = std::to_array<OtherVariables>({
    {"LINERATE_MODULE_PATH",
     "Folders of `liblinerate-mpi.so`, `liblinerate-gloo.so` and `liblinerate-nccl.so`, with `:` "
     "between them. Looked through after `lib` of the installation that the program belongs to, "
     "and before the linker's own search."},
    {"LINERATE_NCCL_TUNER",
     "The CSV file of rules that linerate's tuner plugin for NCCL reads in each process of a job; "
     "`linerate tune nccl` writes it."},
    {"LINERATE_STORE",
     "`HOST` or `HOST:PORT` where rank 0 of a run without MPI listens, instead of what srun or "
     "`MASTER_ADDR` say."},
    {"LINERATE_SYSFS",
     "Folder that is read instead of `/sys` to see whether there is an NVIDIA GPU, which "
     "`--backend auto` then takes, and by `--watch-health`."},
    {"LINERATE_TOKEN",
     "Secret of a run without MPI, the same for all its ranks, at most 256 bytes: connections "
     "without it are refused. Never recorded. When unset: under srun the name of the job step, "
     "else none."},
    {"RANK WORLD_SIZE MASTER_ADDR MASTER_PORT",
     "Rank of the process, number of processes, and where rank 0 listens (port 29500 when "
     "unset): torchrun, PyTorchJob, or by hand."},
    {"LOCAL_RANK SLURM_LOCALID",
     "Only decide which process reports what its host lacks; the ranks of a host are counted."},
    {"TORCHELASTIC_RUN_ID TORCHELASTIC_USE_AGENT_STORE",
     "torchrun started the process; its own store uses `MASTER_PORT`, so linerate's store uses the "
     "next port."},
    {"OMPI_COMM_WORLD_* PMIX_* PMI_*", "An MPI launcher started the process."},
    {"SLURM_STEPID SLURM_PROCID SLURM_JOB_ID SLURM_JOBID SLURM_STEP_*",
     "srun started the process."},
    {"GLOO_SOCKET_IFNAME",
     "Interface of the gloo backend, as in torch, but only one. When unset: loopback on one "
     "host, else the first network in which all hosts have an address."},
    {"NCCL_TOPO_FILE",
     "NCCL's own variable: a file that describes the node. The bounds of runs on GPUs follow it "
     "too."},
    {"NO_COLOR",
     "`linerate topo` prints its tree without colours, as it does where stdout is no terminal."},
    {"NCCL_CONF_FILE",
     "The nccl.conf that `linerate doctor env` reads beside the environment, as NCCL does."},
    {"XDG_CACHE_HOME",
     "Where `linerate tune host` keeps its table and `linerate topo --measure` what it found, in "
     "`linerate/`; `.cache` of `HOME` when unset."},
    {"XDG_STATE_HOME",
     "Where `linerate compare --save-baseline` keeps runs, in `linerate/baselines/`; "
     "`.local/state` of `HOME` when unset."},
    {"PYTHON", "Interpreter of `linerate report` and `topo --svg`; `/usr/bin/python3` when unset."},
});

}  // namespace

std::span<const VariableRow> variables() { return kVariableRows; }
std::span<const OtherVariables> other_variables() { return kOtherVariables; }

}  // namespace linerate
